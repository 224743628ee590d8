import type { Configuration } from 'openid-client'
import { discoverProvider } from '../../../../features/sso/provider/authorization-request.ts'
import { describeFault } from '../../../../features/sso/provider/faults.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { type Finding, failure, ok } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'

/** The app gives up after the same time. */
export const TIMEOUT_SECONDS = 5
const DISCOVERY_PATH = '.well-known/openid-configuration'
const DIFFERENT = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

export interface Discovered {
  readonly finding: Finding
  readonly provider: Configuration
  /** The answer with the document, whose headers tell the time of the provider. */
  readonly answer: ProviderAnswer
}

export interface ProviderAnswer {
  readonly headers: Headers
  readonly atMs: number
}

/** Reads the discovery document as the app does. Returns only a finding if the app cannot use it. */
export async function readDiscovery(
  settings: SsoSettings,
  signal: AbortSignal,
): Promise<Discovered | { readonly finding: Finding; readonly provider: null }> {
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
