import type { ServerMetadata } from 'openid-client'
import { z } from 'zod'
import { CLOCK_TOLERANCE_SECONDS, discoverProvider } from '../../../../features/sso/provider/authorization-request.ts'
import { describeFault } from '../../../../features/sso/provider/faults.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { type Finding, failure, ok, unknown } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'

/** Answers to a wrong access token (RFC 6750, section 3.1). */
const REFUSALS = [400, 401, 403]

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })
/** `oct` is a shared secret, which no provider may publish. */
const PUBLIC_KEY_TYPES = ['RSA', 'EC', 'OKP', 'AKP']

/** The shortest life of an ID token that is usual. */
const SURELY_TOO_MUCH_SECONDS = 300

/** The app gives up after the same time. */
export const TIMEOUT_SECONDS = 5
const DISCOVERY_PATH = '.well-known/openid-configuration'
const DIFFERENT = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

export interface ProviderAnswer {
  readonly headers: Headers
  readonly atMs: number
}

/** Reads the discovery document as the app does. `answer` tells the time of the provider. Returns only a finding if the app cannot use the document. */
export async function readDiscovery(settings: SsoSettings, signal: AbortSignal) {
  const { issuer } = settings
  const address = `${issuer.replace(/\/$/, '')}/${DISCOVERY_PATH}`
  const startedMs = Date.now()
  const answer = await request(address, signal)
  const atMs = (startedMs + Date.now()) / 2
  const failed = (finding: Finding) => ({ finding, provider: null })
  if (!(answer instanceof Response)) {
    const text = `The provider of OIDC_ISSUER cannot be reached, so single sign-on answers 503. ${answer.text}`
    return failed(failure(`sso-${answer.code}`, text))
  }
  const document = await answer.json().catch(() => null)
  if (answer.status !== 200 || typeof document !== 'object' || document === null) {
    return failed(
      failure(
        'sso-no-discovery',
        `${address} answers ${answer.status} without a discovery document. Correct OIDC_ISSUER, or a proxy before the provider.`,
      ),
    )
  }
  try {
    const provider = await discoverProvider(settings, TIMEOUT_SECONDS)
    const text = `The provider ${issuer} answers, and its issuer is OIDC_ISSUER.`
    return { finding: ok('sso-provider', text), provider, answer: { headers: answer.headers, atMs } }
  } catch (error) {
    return failed(faultOf(error, issuer, document))
  }
}

function faultOf(error: unknown, issuer: string, document: object): Finding {
  const fault = describeFault(error)
  const stated = 'issuer' in document ? String(document.issuer).slice(0, 200) : ''
  return fault.includes(DIFFERENT)
    ? failure(
        'sso-issuer-differs',
        `The provider calls itself ${JSON.stringify(stated)}, but OIDC_ISSUER is ${JSON.stringify(issuer)}. Both must be equal, with every slash. Correct OIDC_ISSUER, or the address that the provider believes it has.`,
      )
    : failure('sso-no-discovery', `The app cannot use the discovery document of ${issuer} (${fault}).`)
}

/** Compares the clock of this machine with the provider, whose tokens are valid from one second to another. */
export function compareWithProvider({ headers, atMs }: ProviderAnswer): Finding {
  // A cache keeps the Date, and counts the Age.
  const ageMs = (Number(headers.get('age')) || 0) * 1000
  // The header has no fraction of a second.
  const ahead = Math.round((Date.parse(headers.get('date') ?? '') + ageMs + 500 - atMs) / 1000)
  if (Number.isNaN(ahead)) {
    return unknown('sso-clock-unknown', 'The provider sends no Date, so its clock could not be compared.')
  }
  const seconds = Math.abs(ahead)
  if (seconds <= CLOCK_TOLERANCE_SECONDS) return ok('sso-clock', 'The clocks of the provider and this machine agree.')
  const fact = `The clock of the provider is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine.`
  return seconds > SURELY_TOO_MUCH_SECONDS
    ? failure('sso-clock', `${fact} The app refuses its tokens. Synchronize the clocks.`)
    : unknown(
        'sso-clock',
        `${fact} The app accepts ${CLOCK_TOLERANCE_SECONDS} s. More can make the app refuse tokens, or the provider refuse the key of the app. Synchronize the clocks.`,
      )
}

/**
 * Reads the keys that verify ID tokens and logout tokens. They can be on another host than the rest of the provider, which
 * a firewall may not let pass.
 */
export async function checkKeys({ jwks_uri: address }: ServerMetadata, signal: AbortSignal): Promise<Finding> {
  if (address === undefined || !URL.canParse(address)) {
    return failure('sso-no-keys', 'The discovery document has no jwks_uri, so the app cannot verify any ID token.')
  }
  const answer = await request(address, signal)
  if (!(answer instanceof Response)) {
    return failure('sso-keys-away', `The keys of the provider cannot be reached, so no sign-in can end. ${answer.text}`)
  }
  const document = Keys.safeParse(await answer.json().catch(() => null))
  const isForSignatures = document.data?.keys.some(({ kty, use }) => PUBLIC_KEY_TYPES.includes(kty) && use !== 'enc')
  return answer.status === 200 && isForSignatures
    ? ok('sso-keys', 'The provider publishes the keys of its signatures.')
    : failure(
        'sso-no-keys',
        `${address} answers ${answer.status} without a key for signatures, so no sign-in can end. Correct the provider, or a proxy before it.`,
      )
}

/**
 * Asks the user info endpoint with a wrong access token. It can be on another host than the rest of the provider, which a
 * firewall may not let pass. The app needs it only for claims that the ID token lacks, which cannot be seen from here.
 */
export async function checkUserInfo(
  { userinfo_endpoint: address }: ServerMetadata,
  signal: AbortSignal,
): Promise<Finding> {
  if (address === undefined) {
    return ok('sso-no-user-info', 'The provider has no user info endpoint, so the ID token must have all claims.')
  }
  const needed = 'The app asks there for claims that the ID token lacks. Let the provider write all of them into it, or'
  if (!URL.canParse(address)) {
    return unknown('sso-user-info-away', `userinfo_endpoint is not an address. ${needed} correct the provider.`)
  }
  const answer = await request(address, signal, { headers: { Authorization: 'Bearer doctor' } })
  if (!(answer instanceof Response)) {
    return unknown('sso-user-info-away', `User info cannot be reached. ${answer.text} ${needed} let the app out.`)
  }
  await answer.body?.cancel()
  return REFUSALS.includes(answer.status)
    ? ok('sso-user-info', `User info at ${new URL(address).origin} refuses a wrong access token, as it must.`)
    : unknown(
        'sso-user-info-away',
        `${address} answers ${answer.status} to a wrong access token. ${needed} correct the provider, or a proxy before it.`,
      )
}
