import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import type { Logger } from 'pino'
import { OverloadedError, UpstreamError } from '../../errors.ts'
import type { OptionalStore } from '../../redis/optional-store.ts'
import type { SsoSettings } from '../settings/sso-settings.ts'
import {
  type AuthorizationRequest,
  authorizationAddress,
  discoverProvider,
  type FlowSecrets,
} from './authorization-request.ts'
import { type Claims, lacksClaims, type ProviderAnswer, viewerOfClaims } from './claims.ts'
import { describeFault, refusalOfError } from './faults.ts'
import { type LogoutIssuer, logoutIssuerOf } from './logout-token.ts'

/** The provider of one or several entry points. Unavailable until its discovery document was read. */
export interface IdentityProvider extends OptionalStore {
  /** Returns what the logout tokens of this provider must say. Null while the provider is unavailable. */
  logoutIssuer(): LogoutIssuer | null
  /**
   * Returns the address where the viewer signs in.
   * @throws UpstreamError while the provider is unavailable.
   */
  authorizationUrl(request: AuthorizationRequest): string
  /**
   * Checks the answer of the provider, and gets the viewer.
   * @param currentUrl the callback with its query.
   * @throws UpstreamError if the provider does not answer.
   * @throws OverloadedError if too many viewers sign in at the same time.
   */
  signIn(currentUrl: URL, secrets: FlowSecrets): Promise<ProviderAnswer>
  close(): void
}

export interface ProviderOptions {
  readonly redirectUri: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** True if other entry points have other providers. Default: false. */
  readonly hasOthers?: boolean
  readonly firstRetryMs?: number
  /** For one answer, with its body. */
  readonly timeoutSeconds?: number
}

const TIMEOUT_SECONDS = 5
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000
const QUESTIONS_AT_ONCE = 50
const QUESTIONS_WAITING = 200
const RETRY_AFTER_SECONDS = 5
const MIX_UP =
  'OIDC_ISSUER: this provider does not write its name (iss) into its answers, so a malicious provider of another entry ' +
  'point could sign in as its viewers. If you do not trust all providers, run an app with another PUBLIC_URL for each.'

/** Opens a provider. Reads its discovery document in the background, and tries again until that succeeds. */
export function openIdentityProvider(
  settings: SsoSettings,
  { redirectUri, log, hasOthers = false, ...times }: ProviderOptions,
): IdentityProvider {
  const { firstRetryMs = FIRST_RETRY_MS, timeoutSeconds = TIMEOUT_SECONDS } = times
  const questions = bulkhead(QUESTIONS_AT_ONCE, QUESTIONS_WAITING)
  let configuration: Configuration | null = null
  let logoutIssuer: LogoutIssuer | null = null
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  async function discover(pauseMs: number): Promise<void> {
    try {
      configuration = await discoverProvider(settings, timeoutSeconds)
      logoutIssuer = logoutIssuerOf(configuration, settings, timeoutSeconds)
      log.info({ event: 'sso-provider', issuer: settings.issuer }, 'Single sign-on is available')
      const { authorization_response_iss_parameter_supported: namesItself } = configuration.serverMetadata()
      if (hasOthers && namesItself !== true) log.warn({ event: 'sso-provider', issuer: settings.issuer }, MIX_UP)
    } catch (error) {
      if (isClosed) return
      const line = { event: 'sso-provider', issuer: settings.issuer, reason: describeFault(error) }
      log.warn(line, 'OIDC_ISSUER: the provider cannot be read, so single sign-on does not work. The app tries again')
      timer = setTimeout(() => void discover(Math.min(2 * pauseMs, LONGEST_RETRY_MS)), pauseMs).unref()
    }
  }
  void discover(firstRetryMs)

  function known(): Configuration {
    if (configuration !== null) return configuration
    throw new UpstreamError('sso-provider', 'The identity provider could not be read yet')
  }
  return {
    setting: 'OIDC_ISSUER',
    isAvailable: () => configuration !== null,
    logoutIssuer: () => logoutIssuer,
    authorizationUrl(request) {
      const provider = known()
      return authorizationAddress(provider, settings, redirectUri, request).href
    },
    async signIn(currentUrl, secrets) {
      const provider = known()
      try {
        return await questions.execute(() => askProvider(provider, settings, currentUrl, secrets))
      } catch (error) {
        if (error instanceof BulkheadRejectedError) {
          throw new OverloadedError('Too many viewers come from the identity provider', RETRY_AFTER_SECONDS)
        }
        return refusalOfError(error)
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function askProvider(
  provider: Configuration,
  settings: SsoSettings,
  currentUrl: URL,
  { state, nonce, codeVerifier }: FlowSecrets,
): Promise<ProviderAnswer> {
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true }
  const tokens = await authorizationCodeGrant(provider, currentUrl, checks)
  const idToken = tokens.claims()
  if (idToken === undefined) return { ok: false, reason: 'invalid-response', detail: 'no ID token' }
  // Some providers keep the ID token short, and have the other claims at this endpoint.
  const hasMore = lacksClaims(idToken, settings) && provider.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore ? await fetchUserInfo(provider, tokens.access_token, idToken.sub) : {}
  const claims: Claims = { ...more, ...idToken }
  return viewerOfClaims(claims, settings)
}
