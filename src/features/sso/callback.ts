import type { Request, RequestHandler, Response } from 'express'
import { isOutage, OverloadedError, UpstreamError } from '../../errors.ts'
import type { LogSignIn } from '../../login/log/sign-in-log.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { RESULT } from '../../services/window/flows/flow-store.ts'
import { digestOf, hasDigest } from '../../services/window/random-text.ts'
import type { WindowCookies } from '../../services/window/window-cookie.ts'
import { newCode } from './code.ts'
import { CODE, type RefusedSignIn, type SignInResult, STATE, type StartedFlow } from './flow-kinds.ts'
import type { Sso } from './open-sso.ts'
import type { Identity, ProviderAnswer, RefusalReason } from './provider/claims.ts'
import { textOfRefusal } from './refusals.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { beginSignIn } from './start.ts'
import type { WindowPages } from './window-pages.ts'

/** The refusal by its name in the store, and its status. */
interface FrameRefusal {
  readonly status: number
  readonly name: RefusedSignIn['refusal']
}

export interface CallbackDeps {
  readonly sso: Sso
  readonly cookies: WindowCookies
  readonly nowSeconds: () => number
  /** The entry points by name. */
  readonly entryPoints: ReadonlyMap<string, SsoRouteDeps>
  /** For a sign-in of no known entry point. */
  readonly windows: WindowPages
  readonly logSignIn: LogSignIn
}

const NO_COOKIE: FrameRefusal = { status: 400, name: 'noCookie' }
const UNAVAILABLE: FrameRefusal = { status: 503, name: 'unavailable' }
const REFUSALS: Readonly<Record<RefusalReason, FrameRefusal>> = {
  'provider-refused': { status: 403, name: 'refused' },
  'invalid-response': { status: 400, name: 'invalid' },
  'wrong-tenant': { status: 403, name: 'wrongTenant' },
  'groups-overage': { status: 403, name: 'groupsOverage' },
  'unusable-claim': { status: 403, name: 'unusableAccount' },
  'email-not-verified': { status: 403, name: 'emailNotVerified' },
}

/** Takes the answer of the provider, and keeps the viewer for the frame that began the sign-in. */
export function getCallback(deps: CallbackDeps): RequestHandler {
  const { sso, cookies, entryPoints, nowSeconds } = deps
  return async function receiveAnswer(req, res) {
    const currentUrl = new URL(sso.redirectUri)
    // Never from the Host header, which a client writes.
    currentUrl.search = req.originalUrl.slice(req.originalUrl.indexOf('?'))
    const state = currentUrl.searchParams.get('state') ?? ''
    const digest = digestOf(state)
    const browserKey = cookies.take(req, res, digest)
    const started = await sso.flows.take(STATE, digest)
    const entryPoint = started === null ? undefined : entryPoints.get(started.entryPoint)
    if (started === null || entryPoint === undefined) {
      return refuse(deps, req, res, { status: 400, text: 'sso.expired' }, { reason: 'expired' })
    }
    const { provider, windows, logSignIn } = entryPoint
    const { language, nonce, codeVerifier } = started
    if (!hasDigest(browserKey, started.browserKeyDigest)) {
      await keepForFrame(sso, started, NO_COOKIE)
      return refuse(entryPoint, req, res, shownRefusal(NO_COOKIE), { reason: 'no-cookie', language })
    }
    try {
      const answer = await provider.signIn(currentUrl, { state, nonce, codeVerifier })
      if (!answer.ok) {
        if (started.wantsOtherAccount && refusesPrompt(answer)) {
          const reason = `prompt refused: ${answer.detail}`
          return await beginSignIn(entryPoint, req, res, { ...started, language, wantsOtherAccount: false, reason })
        }
        const reason = answer.detail === undefined ? answer.reason : `${answer.reason}: ${answer.detail}`
        await keepForFrame(sso, started, REFUSALS[answer.reason])
        return refuse(entryPoint, req, res, shownRefusal(REFUSALS[answer.reason]), { reason, language })
      }
      // Not after a failure: answers that a client made up would ask the provider without limit.
      await sso.startLimits.giveBack(started.network)
      const { viewer, issuer, subject } = answer.identity
      const result = resultOf(started, answer.identity, nowSeconds())
      const code = started.flow === null ? newCode() : null
      if (started.flow !== null) await sso.flows.put(RESULT, started.flow, result)
      if (code !== null) await sso.flows.put(CODE, digestOf(code), result)
      const note = answer.note !== undefined && { reason: answer.note }
      logSignIn(req, { outcome: 'sso-signed-in', viewer: viewer.username, issuer, subject, ...note })
      if (code === null) windows.sendDone(req, res, viewer.username, language)
      else windows.sendCode(req, res, code, language)
    } catch (error) {
      if (isProviderAway(error) || error instanceof OverloadedError) await keepForFrame(sso, started, UNAVAILABLE)
      failWindow(entryPoint, req, res, error, language)
    }
  }
}

function shownRefusal({ status, name }: FrameRefusal): Refusal {
  return { status, text: textOfRefusal(name) }
}

/** Keeps the reason of a refusal for the frame, if the store answers. The window shows it in any case. */
async function keepForFrame({ flows }: Sso, { flow, entryPoint }: StartedFlow, { name }: FrameRefusal): Promise<void> {
  if (flow === null) return
  await flows.put(RESULT, flow, { entryPoint, refusal: name }).catch((error: unknown) => {
    if (!isOutage(error)) throw error
  })
}

/** True for an error of a provider that may not know the prompt for another account (OpenID Connect Core, 3.1.2.6). */
function refusesPrompt({ reason, detail = '' }: Extract<ProviderAnswer, { ok: false }>): boolean {
  const errors = /^(invalid_(request|prompt)|unsupported_\w+|interaction_required|account_selection_required)$/
  return reason === 'provider-refused' && errors.test(detail)
}

function isProviderAway(error: unknown): boolean {
  return error instanceof UpstreamError && error.upstream === 'sso-provider'
}

function resultOf(
  { entryPoint, startedAtSeconds }: StartedFlow,
  { viewer, ...identity }: Identity,
  nowSeconds: number,
): SignInResult {
  const { username, groups, attributes } = viewer
  const times = { startedAtSeconds, signedInAtSeconds: Math.floor(nowSeconds) }
  return { entryPoint, username, groups: [...groups], attributes: { ...attributes }, ...identity, ...times }
}

/** Answers an error in the window, and logs it. */
export function failWindow(
  { windows, logSignIn }: Pick<CallbackDeps, 'windows' | 'logSignIn'>,
  req: Request,
  res: Response,
  error: unknown,
  language: string | null = null,
): void {
  const { status, retryAfterSeconds, text: reason } = describeError(error)
  const isOurFault = status >= 500
  if (isOurFault) logSignIn(req, { outcome: isOutage(error) ? 'sso-failed' : 'failed', status, error })
  else logSignIn(req, { outcome: 'refused-request', status, reason })
  const faultText = isProviderAway(error) ? 'sso.unavailable' : reason
  const text = isOurFault ? faultText : 'window.notFromOwnPage'
  windows.refuse(req, res, { status, text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }, language)
}

function refuse(
  { windows, logSignIn }: Pick<CallbackDeps, 'windows' | 'logSignIn'>,
  req: Request,
  res: Response,
  refusal: Refusal,
  { reason, language = null }: { readonly reason: string; readonly language?: string | null },
): void {
  logSignIn(req, { outcome: 'sso-refused', status: refusal.status, reason })
  windows.refuse(req, res, refusal, language)
}
