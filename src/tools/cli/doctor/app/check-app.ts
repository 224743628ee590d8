import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { capacitiesAt, capacityText } from '../../capacities.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { answerAt, type DoctorConfig } from '../feature-check.ts'
import { type Finding, findingOf, ok, warning } from '../finding.ts'
import { checkAddresses } from './addresses.ts'
import { checkCertificate } from './certificate.ts'
import { checkClientAddress } from './client-address.ts'
import { checkCopyClocks } from './copy-clocks.ts'
import { checkHostAddresses } from './host-addresses.ts'
import { checkReadiness } from './readiness.ts'
import { checkScreen, checkSettings } from './screen.ts'

/**
 * Checks the login app over its PUBLIC_URL: its stores, its screens and the headers that browsers get.
 * @param copies the addresses of copies, whose clocks are compared. Empty: those behind PUBLIC_URL.
 * @returns false if the app does not answer. Nothing that follows from it is then checked.
 */
export async function* checkApp(
  io: CommandIo,
  config: DoctorConfig,
  copies: readonly URL[],
  signal: AbortSignal,
): AsyncGenerator<Finding, boolean> {
  if (config.publicUrl.protocol === 'https:' && config.trustProxyHops === 0 && config.trustedProxies.length === 0) {
    yield warning(
      'no-proxy-hops',
      'TRUST_PROXY_HOPS is 0, but https needs a proxy. The app then sees only the address of the proxy, and all viewers share one limit of failed sign-ins. Set it to the number of proxies, or TRUSTED_PROXIES to their addresses.',
    )
  }
  const entryPoints = config.entryPoints.filter(isHashEntryPoint)
  for (const entryPoint of entryPoints) {
    for (const finding of checkSettings(entryPoint)) yield findingOf(config, entryPoint, finding)
  }
  for (const entryPoint of config.entryPoints) {
    const ways = capacitiesAt(config, entryPoint).map((one) => `${one.wayIn}: ${capacityText(one)}`)
    const text = `One address lets in within ten minutes, without a mistake: ${ways.join('; ')}.`
    yield findingOf(config, entryPoint, ok('address-capacity', text))
  }
  if (!(yield* checkReadiness(io, config, signal))) return false
  yield* checkHostAddresses(config, signal)
  yield* checkCopyClocks(config, copies, signal)
  const clientAddress = checkClientAddress(config, signal)
  const certificate = checkCertificate(config.publicUrl, signal)
  for (const entryPoint of entryPoints) {
    for (const check of [checkScreen, checkAddresses]) {
      for await (const finding of check(config, entryPoint, signal)) yield findingOf(config, entryPoint, finding)
    }
  }
  for (const finding of await Promise.all([clientAddress, certificate])) if (finding !== null) yield finding
  for (const entryPoint of config.entryPoints) {
    const answer = answerAt(config, entryPoint)
    if (answer === null) continue
    for await (const finding of answer.check(config, signal)) yield findingOf(config, entryPoint, finding)
    for await (const finding of checkScreen(config, entryPoint, signal)) yield findingOf(config, entryPoint, finding)
  }
  return true
}
