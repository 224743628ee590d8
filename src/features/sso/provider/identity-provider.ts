import { authorizationCodeGrant, ClientError, type Configuration, fetchUserInfo } from 'openid-client'
import type { Logger } from 'pino'
import { OverloadedError, UpstreamError } from '../../../errors.ts'
import { createQueue } from '../../../server/work-queue.ts'
import type { SsoSettings } from '../settings/sso-settings.ts'
import {
  type AuthorizationRequest,
  authorizationAddress,
  CLOCK_TOLERANCE_SECONDS,
  discoverProvider,
  type FlowSecrets,
  userInfoClient,
} from './authorization-request.ts'
import {
  type ClaimSettings,
  type Claims,
  lacksClaims,
  type ProviderAnswer,
  viewerOfClaims,
  withUserInfo,
} from './claims.ts'
import { describeFault, refusalOfError } from './faults.ts'
import { type LogoutIssuer, logoutIssuerOf } from './logout-token.ts'
import { tokenFault, verifyToken } from './signed-token.ts'

/** The provider of one or several entry points. Unavailable until its discovery document was read. */
export type IdentityProvider = ReturnType<typeof openIdentityProvider>

export interface ProviderOptions {
  readonly redirectUri: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** True if other entry points have other providers. Default: false. */
  readonly hasOthers?: boolean
  /** The groups of ALLOWED_GROUPS at its entry points. Default: none. */
  readonly allowedGroups?: readonly string[]
  readonly firstRetryMs?: number
  /** The longest time for one answer, with its body. */
  readonly timeoutSeconds?: number
  /** The time until the discovery document is read again: a provider may move its addresses. */
  readonly refreshMs?: number
  /** Called after each question about a viewer, for the metrics. */
  readonly onAnswer?: (result: ProviderResult, seconds: number) => void
}

/** `failed`: the provider answers with something else, or refuses this app. `overloaded`: it was not asked. */
export type ProviderResult = 'signed-in' | 'refused' | 'timeout' | 'failed' | 'overloaded'

const TIMEOUT_SECONDS = 5
const FIRST_RETRY_MS = 2_000
const REFRESH_MS = 3_600_000
const LONGEST_RETRY_MS = 60_000
const QUESTIONS_AT_ONCE = 50
const QUESTIONS_WAITING = 200
const RETRY_AFTER_SECONDS = 5
const MIX_UP =
  'OIDC_ISSUER: this provider does not write its name (iss) into its answers, so a malicious provider of another entry ' +
  'point could sign in as its viewers. If you do not trust all providers, run an app with another PUBLIC_URL for each.'

/**
 * Opens a provider. Reads its discovery document in the background, tries again until that succeeds, and reads it again
 * each hour. The last good document counts.
 */
export function openIdentityProvider(
  settings: SsoSettings,
  { redirectUri, log, hasOthers = false, allowedGroups = [], onAnswer = () => {}, ...times }: ProviderOptions,
) {
  const claimSettings = { ...settings, allowedGroups, needsGroups: settings.needsGroups || allowedGroups.length > 0 }
  const { firstRetryMs = FIRST_RETRY_MS, timeoutSeconds = TIMEOUT_SECONDS, refreshMs = REFRESH_MS } = times
  const answerOf = limitQuestions(onAnswer)
  let connection: Connection | null = null
  let wasRead = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  async function discover(pauseMs: number): Promise<void> {
    let nextMs = refreshMs
    let nextPauseMs = firstRetryMs
    const line = { event: 'sso-provider', issuer: settings.issuer }
    try {
      const read = await discoverProvider(settings, timeoutSeconds)
      const logoutIssuer = logoutIssuerOf(read, settings, timeoutSeconds)
      connection = { provider: read, userInfo: userInfoClient(read, settings), logoutIssuer }
      if (!wasRead) log.info(line, 'Single sign-on is available')
      const namesItself = read.serverMetadata().authorization_response_iss_parameter_supported
      if (!wasRead && hasOthers && namesItself !== true) log.warn(line, MIX_UP)
      wasRead = true
    } catch (error) {
      if (isClosed) return
      const effect = connection === null ? 'single sign-on does not work' : 'its former addresses are used'
      const text = `OIDC_ISSUER: the provider cannot be read, so ${effect}. The app tries again`
      log.warn({ ...line, reason: describeFault(error) }, text)
      wasRead = false
      nextMs = pauseMs
      nextPauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)
    }
    if (!isClosed) timer = setTimeout(() => void discover(nextPauseMs), nextMs).unref()
  }
  void discover(firstRetryMs)

  function known(): Connection {
    if (connection !== null) return connection
    throw new UpstreamError('sso-provider', 'The identity provider could not be read yet')
  }
  return {
    setting: 'OIDC_ISSUER',
    isAvailable: () => connection !== null,
    /** Returns what the logout tokens of this provider must say. Null while the provider is unavailable. */
    logoutIssuer: () => connection?.logoutIssuer ?? null,
    /** Returns the address where the viewer signs in. @throws UpstreamError while the provider is unavailable. */
    authorizationUrl(request: AuthorizationRequest): string {
      const { provider } = known()
      return authorizationAddress(provider, settings, redirectUri, request).href
    },
    /**
     * Checks the answer of the provider, and gets the viewer.
     * @param currentUrl the callback with its query.
     * @throws UpstreamError if the provider does not answer.
     * @throws OverloadedError if too many viewers sign in at the same time.
     */
    async signIn(currentUrl: URL, secrets: FlowSecrets): Promise<ProviderAnswer> {
      const current = known()
      return await answerOf(() => askProvider(current, claimSettings, currentUrl, secrets))
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Limits the questions that are asked at a time, times them, and turns errors into refusals. */
function limitQuestions(onAnswer: NonNullable<ProviderOptions['onAnswer']>) {
  const questions = createQueue({
    width: QUESTIONS_AT_ONCE,
    queueLength: QUESTIONS_WAITING,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
  return async function answerOf(ask: () => Promise<ProviderAnswer>): Promise<ProviderAnswer> {
    const startedMs = performance.now()
    let result: ProviderResult = 'failed'
    try {
      const answer = await questions.run(ask)
      result = answer.ok ? 'signed-in' : 'refused'
      return answer
    } catch (error) {
      if (error instanceof OverloadedError) {
        result = 'overloaded'
        throw error
      }
      if (error instanceof ClientError && error.code === 'OAUTH_TIMEOUT') result = 'timeout'
      const refusal = refusalOfError(error)
      result = 'refused'
      return refusal
    } finally {
      onAnswer(result, (performance.now() - startedMs) / 1000)
    }
  }
}

/** The clients by the last good discovery document. */
interface Connection {
  readonly provider: Configuration
  readonly userInfo: Configuration
  readonly logoutIssuer: LogoutIssuer
}

interface NeededClaims extends ClaimSettings {
  readonly needsGroups: boolean
}

async function askProvider(
  { provider, userInfo: userInfoProvider, logoutIssuer }: Connection,
  settings: NeededClaims,
  currentUrl: URL,
  { state, nonce, codeVerifier }: FlowSecrets,
): Promise<ProviderAnswer> {
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true }
  const tokens = await authorizationCodeGrant(provider, currentUrl, checks)
  const idToken = tokens.claims()
  if (idToken === undefined) return { ok: false, reason: 'invalid-response', detail: 'no ID token' }
  const fault = await faultInSignature(tokens.id_token ?? '', logoutIssuer)
  if (fault !== null) return { ok: false, reason: 'invalid-response', detail: fault }
  const { userInfo, note } = await askUserInfo(userInfoProvider, settings, tokens.access_token, idToken)
  const answer = viewerOfClaims(withUserInfo(idToken, userInfo), settings)
  if (!answer.ok || note === undefined) return answer
  return { ...answer, note: [note, answer.note].filter((part) => part !== undefined).join('; ') }
}

/** Checks the signature: the library has checked only the claims. @throws UpstreamError if the keys cannot be read. */
async function faultInSignature(idToken: string, { keys }: Pick<LogoutIssuer, 'keys'>): Promise<string | null> {
  try {
    await verifyToken(idToken, keys, { clockTolerance: CLOCK_TOLERANCE_SECONDS })
    return null
  } catch (error) {
    return tokenFault(error)
  }
}

/**
 * Returns the claims of the user info endpoint if the settings need one that the ID token lacks: some providers keep the ID
 * token short. A person without groups is not refused for a failure.
 */
async function askUserInfo(
  provider: Configuration,
  settings: NeededClaims,
  accessToken: string,
  idToken: Claims,
): Promise<{ userInfo: Readonly<Record<string, unknown>>; note?: string }> {
  const isRequired = lacksClaims(idToken, settings)
  const isUseful = isRequired || (settings.needsGroups && idToken[settings.groupsClaim] === undefined)
  if (!isUseful || provider.serverMetadata().userinfo_endpoint === undefined) return { userInfo: {} }
  try {
    return { userInfo: await fetchUserInfo(provider, accessToken, idToken.sub) }
  } catch (error) {
    const isOfAnother = error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
    if (isRequired || isOfAnother) throw error
    return { userInfo: {}, note: `${settings.groupsClaim}: user info failed (${describeFault(error)})` }
  }
}
