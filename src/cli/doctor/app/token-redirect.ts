import type { Config } from '../../../config.ts'
import type { EntryPoint, TokenEntryPoint } from '../../../entry-points/entry-point.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { fetchServiceKeys } from '../../../video-service/viewer-auth/service-keys.ts'
import { checkEnvelope } from '../../../viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../viewer-token/token-diagnosis.ts'
import { nowSeconds } from '../../service/service.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS } from '../finding.ts'

/** Returns the parameters without which an entry point shows no screen: with tokens, a `ref` that its settings allow. */
export function carriedFields(entryPoint: EntryPoint): Record<string, string> {
  return entryPoint.viewerAuth === 'token' ? { ref: exampleRef(entryPoint) } : {}
}

/** Returns the address of an entry point with carriedFields(), as the player opens it. */
export function screenAddress(config: Config, entryPoint: EntryPoint): string {
  const address = addressOf(config, entryPoint)
  const query = new URLSearchParams(carriedFields(entryPoint)).toString()
  return query === '' ? address : `${address}?${query}`
}

function exampleRef({ refAddresses }: TokenEntryPoint): string {
  return refAddresses.map(({ origin, path }) => origin + path)[0] ?? ''
}

/** Checks the redirect of a sign-in with carriedFields(): `ref` with a token that the service could decrypt. */
export async function checkTokenRedirect(
  address: string,
  location: string,
  entryPoint: TokenEntryPoint,
  signal: AbortSignal,
): Promise<Finding> {
  const ref = exampleRef(entryPoint)
  const [before, token, ...more] = location.split('?vt=')
  if (before !== ref || token === undefined || more.length > 0) {
    return failure('wrong-redirect', `The sign-in does not redirect to ${ref} with one token. ${PROXY_OR_SETTINGS}`)
  }
  const keys = await fetchServiceKeys(createTransport(), entryPoint.serviceKeyUrl, signal).catch(() => null)
  signal.throwIfAborted()
  const kids = keys?.map(({ kid }) => kid) ?? []
  const check = checkEnvelope(token, kids)
  const text = `The test viewer signed in at ${address} and was sent to the player with a token.`
  if (check.ok) return ok('signed-in', `${text} ${describeTokenCheck(check, nowSeconds())}`)
  return failure('wrong-token', `${text} ${describeTokenCheck(check, nowSeconds())} See the log of the app.`)
}
