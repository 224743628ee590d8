import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { authorizationCodeGrant, type Configuration, randomPKCECodeVerifier, randomState } from 'openid-client'
import { discoverProvider } from '../../../../features/sso/provider/authorization-request.ts'
import { describeFault } from '../../../../features/sso/provider/faults.ts'
import type { ClientAuthentication, SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { type Finding, failure, ok, unknown } from '../../../cli/doctor/finding.ts'
import { TIMEOUT_SECONDS } from './discovery.ts'

const REFUSES_CLIENT = /\b(invalid_client|unauthorized_client)\b|CHALLENGE/
/** Errors without an answer of the provider. */
const NO_ANSWER = /^(OAUTH_TIMEOUT|OAUTH_PARSE_ERROR|OAUTH_RESPONSE_IS_NOT|OAUTH_HTTP|E[A-Z]+\b|UND_ERR|TypeError)/

/**
 * Exchanges a code that no provider issued. A provider that accepts the client says `invalid_grant`. Some providers look
 * at the code first, so another exchange with a wrong secret or key must get another answer.
 */
export async function checkClient(
  provider: Configuration,
  settings: SsoSettings,
  redirectUri: string,
): Promise<Finding> {
  const kind = settings.authentication.kind === 'key' ? 'key of OIDC_CLIENT_KEY_FILE' : 'secret of the client'
  const fault = await exchange(provider, redirectUri)
  if (REFUSES_CLIENT.test(fault)) {
    const remedy =
      settings.authentication.kind === 'key'
        ? 'Register its public key or certificate at the provider, and check the clocks.'
        : 'It is wrong or has expired: create another one at the provider, and set OIDC_CLIENT_SECRET.'
    return failure('sso-client-refused', `The provider refuses the ${kind} (${fault}). ${remedy}`)
  }
  if (NO_ANSWER.test(fault)) {
    return failure('sso-token-away', `The token endpoint of the provider does not answer as it must (${fault}).`)
  }
  if (fault !== 'invalid_grant') {
    const text = `The provider answers a wrong code with ${fault}, so it cannot be seen from here if it accepts the ${kind}. Sign in once.`
    return unknown('sso-client-unseen', text)
  }
  const authentication = wrongAuthentication(settings.authentication)
  const stranger = await discoverProvider({ ...settings, authentication }, TIMEOUT_SECONDS)
  return (await exchange(stranger, redirectUri)) === 'invalid_grant'
    ? unknown(
        'sso-client-unseen',
        `The provider looks at the code before the client, so it cannot be seen from here if it accepts the ${kind}. Sign in once.`,
      )
    : ok('sso-client', `The provider accepts the ${kind}, and refuses another one.`)
}

/** Returns the error of the provider for a wrong code. */
async function exchange(provider: Configuration, redirectUri: string): Promise<string> {
  const { issuer, authorization_response_iss_parameter_supported: hasIssuer } = provider.serverMetadata()
  const state = randomState()
  const answer = new URL(redirectUri)
  answer.search = String(new URLSearchParams({ code: randomUUID(), state, ...(hasIssuer && { iss: issuer }) }))
  const checks = { expectedState: state, pkceCodeVerifier: randomPKCECodeVerifier(), idTokenExpected: true }
  try {
    await authorizationCodeGrant(provider, answer, checks)
    return 'success'
  } catch (error) {
    return describeFault(error)
  }
}

/** Returns a secret or a key of the same kind, which the provider cannot know. */
function wrongAuthentication(own: ClientAuthentication): ClientAuthentication {
  if (own.kind === 'secret') return { kind: 'secret', secret: randomUUID() }
  const { asymmetricKeyType: type } = own.privateKey
  const { privateKey } =
    type === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...own, privateKey, certificate: null }
}
