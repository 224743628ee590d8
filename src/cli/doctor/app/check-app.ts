import type { Config } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { type Finding, findingOf, unknown, warning } from '../finding.ts'
import { checkAddresses } from './addresses.ts'
import { checkReadiness } from './readiness.ts'
import { checkScreen, checkSettings } from './screen.ts'

const TOKENS_NOT_CHECKED = unknown(
  'tokens-not-checked',
  'The doctor does not check entry points with VIEWER_AUTH=token. Open a page with the player once, and sign in.',
)

/**
 * Checks the login app over its PUBLIC_URL: its stores, its screens and the headers that browsers get.
 * @returns false if the app does not answer. Nothing that follows from it is then checked.
 */
export async function* checkApp(config: Config, signal: AbortSignal): AsyncGenerator<Finding, boolean> {
  if (config.publicUrl.protocol === 'https:' && config.trustProxyHops === 0) {
    yield warning(
      'no-proxy-hops',
      'TRUST_PROXY_HOPS is 0, but https needs a proxy. The app then sees only the address of the proxy, and all viewers share one limit of failed sign-ins. Set it to the number of proxies.',
    )
  }
  const entryPoints = config.entryPoints.filter(isHashEntryPoint)
  for (const { name, viewerAuth } of config.entryPoints) {
    if (viewerAuth === 'token') yield findingOf(config, { name }, TOKENS_NOT_CHECKED)
  }
  for (const entryPoint of entryPoints) {
    for (const finding of checkSettings(entryPoint)) yield findingOf(config, entryPoint, finding)
  }
  if (!(yield* checkReadiness(config, signal))) return false
  for (const entryPoint of entryPoints) {
    for (const check of [checkScreen, checkAddresses]) {
      for await (const finding of check(config, entryPoint, signal)) yield findingOf(config, entryPoint, finding)
    }
  }
  return true
}
