import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../errors.ts'
import { isTokenEntryPoint, type TokenEntryPoint } from '../../../../features/token/fields.ts'
import type { ServiceKeys } from '../../../../features/token/viewer-token/service-keys.ts'
import { checkEnvelope, checkSignedToken } from '../../../../features/token/viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../../features/token/viewer-token/token-diagnosis.ts'
import {
  buildViewerToken,
  CLOCK_MARGIN_SECONDS,
  TOKEN_LIFETIME_SECONDS,
} from '../../../../features/token/viewer-token/viewer-token.ts'
import type { Parameters } from '../../../cli/response/response-command.ts'
import type { Outcome } from '../../../cli/terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../../../cli/terminal/io.ts'
import { isRequestError } from '../../../video-service/service-errors.ts'
import { fetchServiceKeys } from '../../../video-service/token/service-keys.ts'
import { createTransport } from '../../../video-service/transport.ts'

/** A note for standard error, printed with a token. */
export const USE_ONCE = `The service accepts the token for ${TOKEN_LIFETIME_SECONDS} seconds, once for each component of the player.
${CLOCK_MARGIN_SECONDS} of these seconds have passed already. The token is a credential of the viewer: do not log it.\n`
const UNSEEN =
  'Only the service can read the rest. Not checked: the signature, the viewer, the time of issue, and an earlier use.'

/** Builds a token of the entry point for `sub`. Says on standard error how long it is valid. */
export async function buildToken(
  io: CommandIo,
  entryPoint: TokenEntryPoint,
  parameters: Parameters,
  hasLifetime: boolean,
): Promise<Outcome> {
  const [name, subject = ''] = parameters[0] ?? []
  if (parameters.length !== 1 || name !== 'sub') {
    return { ok: false, fault: `Entry point ${entryPoint.name} has VIEWER_AUTH=token. Give one parameter: sub=VALUE.` }
  }
  if (hasLifetime)
    return { ok: false, fault: `A token is valid for ${TOKEN_LIFETIME_SECONDS} s. Leave out --lifetime.` }
  return await withServiceKeys(io, entryPoint, async ([serviceKey]) => {
    const { contentKey } = entryPoint
    const token = await buildViewerToken(subject, { contentKey, serviceKey }, Date.now() / 1000)
    io.stderr.write(USE_ONCE)
    return { ok: true, text: token, data: { token, kid: serviceKey.kid } }
  })
}

/**
 * Fetches the keys of the service, and calls `work` with them.
 * @returns a failure if the keys cannot be fetched, and for the RangeError of a value that no token can have.
 */
export async function withServiceKeys(
  io: Pick<CommandIo, 'onInterrupt'>,
  { serviceKeyUrl }: Pick<TokenEntryPoint, 'serviceKeyUrl'>,
  work: (keys: ServiceKeys) => Promise<Outcome>,
): Promise<Outcome> {
  using stop = stopOnInterrupt(io)
  try {
    return await work(await fetchServiceKeys(createTransport(), serviceKeyUrl, stop.signal))
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    if (error instanceof RangeError) return { ok: false, fault: `${error.message}.` }
    if (!isRequestError(error)) throw error
    const fault = `The keys of the service cannot be fetched: ${error.message}. Check SERVICE_VIEWER_KEY_URL.`
    return { ok: false, fault }
  }
}

/** The beginning of a JSON header in base64url. A token that was cut off has it too. */
const BEGINNING = /^eyJ/

/**
 * Finds a token in the text: the text itself, also in quotation marks, or the parameter `vt` of an address or query. Null
 * if there is none.
 * @param isExpected true if the text cannot be anything but a token.
 */
export function tokenIn(given: string, isExpected: boolean): string | null {
  const text = given.replace(/^"(.*)"$/, '$1')
  const isAddress = /^https?:/i.test(text) && URL.canParse(text)
  const parameters = new URLSearchParams(isAddress ? new URL(text).search : text)
  const vt = parameters.get('vt')
  if (vt !== null) return vt
  if (isAddress || parameters.has('hash') || /^[[{]/.test(text)) return null
  return isExpected || BEGINNING.test(text) || /^[\w-]+(\.[\w-]*){2,4}$/.test(text) ? text : null
}

/** Checks what is readable without the private key of the service. */
export async function checkToken(io: CommandIo, entryPoints: readonly EntryPoint[], token: string): Promise<Outcome> {
  if (token === '') return { ok: false, fault: 'No token. Give it on standard input. See response check --help.' }
  const candidates = entryPoints.filter(isTokenEntryPoint)
  const [first] = candidates
  if (first === undefined) {
    const names = entryPoints.map(({ name }) => name).join(', ')
    throw new ConfigError(`This is a token, but none of these entry points has VIEWER_AUTH=token: ${names}.`)
  }
  const urls = new Set(candidates.map(({ serviceKeyUrl }) => serviceKeyUrl))
  if (urls.size > 1) throw new ConfigError('The entry points have keys of several services. Use --entry-point.')
  return await withServiceKeys(io, first, (keys) => diagnose(candidates, keys, token))
}

async function diagnose(entryPoints: readonly TokenEntryPoint[], keys: ServiceKeys, token: string): Promise<Outcome> {
  const now = Date.now() / 1000
  const kids = keys.map(({ kid }) => kid)
  const check = checkEnvelope(token, kids)
  const lines = [describeTokenCheck(check, now)]
  if (check.ok) {
    lines.push(UNSEEN)
    if (check.kid !== kids[0])
      lines.push('It was encrypted with an older key of the service, which may refuse it soon.')
    return {
      ok: true,
      text: lines.join('\n'),
      data: { accepted: null, kid: check.kid, isNewestKey: check.kid === kids[0] },
    }
  }
  if (check.reason !== 'not-encrypted') {
    return { ok: true, text: lines.join('\n'), data: { accepted: false, reason: check.reason }, isPartial: true }
  }
  const checks = await Promise.all(entryPoints.map(({ contentKey }) => checkSignedToken(token, contentKey, now)))
  const inner = checks.find((one) => one.ok || one.reason !== 'wrong-signature') ?? checks[0]
  if (inner !== undefined) lines.push(`Without the encryption: ${describeTokenCheck(inner, now)}`)
  const data = { accepted: false, reason: check.reason, signed: inner?.ok ? 'right' : inner?.reason }
  return { ok: true, text: lines.join('\n'), data, isPartial: true }
}
