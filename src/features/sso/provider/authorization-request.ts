import { hash } from 'node:crypto'
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import { UpstreamError } from '../../../errors.ts'
import type { SsoSettings } from '../settings/sso-settings.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { clientAuthOf } from './client-authentication.ts'

/** The largest difference between the clocks of the app and the provider. */
export const CLOCK_TOLERANCE_SECONDS = 10

export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface AuthorizationRequest extends FlowSecrets {
  /** True if the viewer wants another account: the provider must ask which one. */
  readonly wantsOtherAccount: boolean
  readonly language: string
}

/**
 * Reads the discovery document of a provider. The caller checks the signatures of ID tokens by `verifyToken()`, because
 * the library does not reload keys that have no id.
 * @param timeoutSeconds for this and every later answer, with its body.
 * @throws an error of openid-client, or UpstreamError for an issuer of every organization without OIDC_TENANTS.
 */
export async function discoverProvider(settings: SsoSettings, timeoutSeconds: number): Promise<Configuration> {
  const { issuer, clientId, authentication, tenants } = settings
  const isHttp = issuer.startsWith('http:')
  const execute = isHttp ? [allowInsecureRequests] : []
  const auth = clientAuthOf(authentication)
  const metadata = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const configuration = await discovery(new URL(issuer), clientId, metadata, auth, {
    execute,
    timeout: timeoutSeconds,
    [customFetch]: boundedFetch,
  })
  if (tenants === null && configuration.serverMetadata().issuer.includes('{tenantid}')) {
    throw new UpstreamError('sso-provider', 'The issuer is for every organization, but OIDC_TENANTS is not set')
  }
  return configuration
}

/** Returns the client for user info, which checks the signature of an answer that has one. */
export function userInfoClient(provider: Configuration, { clientId }: Pick<SsoSettings, 'clientId'>): Configuration {
  const metadata = provider.serverMetadata()
  const client = new Configuration(metadata, clientId, { [clockTolerance]: CLOCK_TOLERANCE_SECONDS })
  client.timeout = provider.timeout
  client[customFetch] = boundedFetch
  if (metadata.issuer.startsWith('http:')) allowInsecureRequests(client)
  enableNonRepudiationChecks(client)
  return client
}

/** Returns the address of the provider that begins a sign-in. */
export function authorizationAddress(
  provider: Configuration,
  settings: SsoSettings,
  redirectUri: string,
  request: AuthorizationRequest,
): URL {
  return buildAuthorizationUrl(provider, parametersOf(request, settings, redirectUri, promptOf(provider)))
}

function parametersOf(
  { state, nonce, codeVerifier, wantsOtherAccount, language }: AuthorizationRequest,
  { scopes }: SsoSettings,
  redirectUri: string,
  prompt: string,
): Record<string, string> {
  return {
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    nonce,
    code_challenge: hash('sha256', codeVerifier, 'base64url'),
    code_challenge_method: 'S256',
    ui_locales: language,
    ...(wantsOtherAccount && { prompt }),
  }
}

/** Returns the prompt with which the provider offers another account. */
function promptOf(provider: Configuration): string {
  const { prompt_values_supported: supported } = provider.serverMetadata()
  return Array.isArray(supported) && !supported.includes('select_account') ? 'login' : 'select_account'
}
