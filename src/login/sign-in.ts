import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { LimitRefusal } from '../sign-in-limits/limit-refusal.ts'
import type { Attempt } from '../sign-in-limits/sign-in-limits.ts'
import type { Authentication, Viewer } from '../users/user-store.ts'
import { askAccessPolicy } from './access-decision.ts'
import { passToPlayer } from './pass-to-player.ts'
import { emptyContext, type PlayerContext, readPlayerContext } from './request/player-context.ts'
import { readSignInForm, type SignInForm } from './request/sign-in-form.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { describeError } from './screens/error-page.ts'
import { type Refusal, sendRedirect } from './screens/screens.ts'

type PassDeps = Pick<
  EntryPointDeps,
  'entryPoint' | 'hashSecrets' | 'accessPolicy' | 'refusals' | 'loopBreaker' | 'headersFor' | 'logSignIn' | 'nowSeconds'
>
type AuthenticateDeps = Pick<EntryPointDeps, 'users' | 'signInLimits' | 'logSignIn' | 'addressOf'>

/** Shows the sign-in screen. Redirects a signed-in viewer to the player at once, with a fresh response. */
export function getSignIn(deps: PassDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>): RequestHandler {
  const { entryPoint, screens, sessions, refusals, loopBreaker } = deps
  const withoutQuery = { ok: true, context: emptyContext(entryPoint) } as const

  return async function getSignInScreen(req, res) {
    const query: Record<string, unknown> = req.url.includes('?') ? req.query : {}
    const reading = req.url.includes('?') ? readPlayerContext(query, entryPoint) : withoutQuery
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    const returning = await sessions.returningViewer(req, res)
    if (returning === null) return screens.sendSignIn(req, res, { context })
    const { viewer, sessionId } = returning
    if (query.prompt === 'login' || !isNavigation(req)) {
      return screens.sendSignIn(req, res, { context, signedInAs: viewer.username })
    }
    const target = targetOf(entryPoint, context)
    if (loopBreaker.isLooping(sessionId, target)) return refusals.looping(req, res, viewer, context)
    const secretOf = () => secretForReturn(deps, sessionId, target)
    await sendToPlayer(deps, req, res, { viewer, context, outcome: 'returned', secretOf, openSession: () => sessionId })
  }
}

/** Checks the credentials and passes the viewer on to the player. */
export function postSignIn(
  deps: PassDeps & AuthenticateDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>,
): RequestHandler {
  const { entryPoint, screens, sessions, refusals, logSignIn } = deps

  return async function postSignInForm(req, res) {
    if (refusals.notAForm(req, res)) return
    const reading = readPlayerContext(req.body, entryPoint)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    const fields = readSignInForm(req.body)
    const username = fields.ok ? fields.form.username : fields.username
    const showAgain = (refusal: Refusal) => screens.sendSignIn(req, res, { context, refusal, username })
    if (refusals.isForeign(req)) return showAgain({ status: 403, text: 'notFromOwnPage' })
    if (!fields.ok) {
      logSignIn(req, { outcome: 'refused-request', status: fields.refusal.status, reason: fields.refusal.text })
      return showAgain(fields.refusal)
    }
    try {
      const authentication = await authenticate(deps, req, fields.form)
      if (!authentication.ok) return showAgain(authentication.refusal)
      const { viewer } = authentication
      const secretOf = () => deps.hashSecrets().current
      const openSession = () => sessions.start(req, res, viewer)
      await sendToPlayer(deps, req, res, { viewer, context, outcome: 'signed-in', secretOf, openSession })
    } catch (error) {
      const refusal = describeError(error)
      // Without the stack: an overload must not also overload the log.
      const event =
        refusal.text === 'overloaded' ? { outcome: 'overloaded' as const } : { outcome: 'failed' as const, error }
      logSignIn(req, { ...event, viewer: username, status: refusal.status })
      showAgain(refusal)
    }
  }
}

/** The refusals of a user store. All except the first need the right password. */
const REFUSALS: Readonly<Record<Exclude<Authentication, { ok: true }>['reason'], Refusal>> = {
  'wrong-credentials': { status: 401, text: 'wrongCredentials' },
  disabled: { status: 403, text: 'disabled' },
  'expired-password': { status: 403, text: 'expiredPassword' },
}

type CheckedCredentials =
  | { readonly ok: true; readonly viewer: Viewer }
  | { readonly ok: false; readonly refusal: Refusal }

async function authenticate(deps: AuthenticateDeps, req: Request, form: SignInForm): Promise<CheckedCredentials> {
  const { users, signInLimits, logSignIn, addressOf } = deps
  const refuseByLimit = ({ limit, retryAfterSeconds }: LimitRefusal): CheckedCredentials => {
    logSignIn(req, { outcome: 'too-many-tries', viewer: form.username, limit })
    return { ok: false, refusal: tooManyTries(retryAfterSeconds) }
  }
  users.assertCapacity?.()
  const admission = await signInLimits.admit(form.username, addressOf(req))
  if (!admission.ok) return refuseByLimit(admission)
  const checkedFromMs = performance.now()
  let authentication: Awaited<ReturnType<typeof users.authenticate>>
  try {
    authentication = await users.authenticate(form.username, form.password)
  } catch (error) {
    await admission.attempt.abandoned()
    throw error
  }
  const limitRefusal = await settle(admission.attempt, authentication)
  if (limitRefusal) {
    await untilFullSecond(checkedFromMs)
    return refuseByLimit(limitRefusal)
  }
  if (authentication.ok) return authentication
  logSignIn(req, { outcome: authentication.reason, viewer: form.username })
  return { ok: false, refusal: REFUSALS[authentication.reason] }
}

async function settle(attempt: Attempt, authentication: Authentication): Promise<LimitRefusal | null> {
  if (authentication.ok) return await attempt.succeeded(authentication.viewer.username)
  const { reason, storedName } = authentication
  return await (reason === 'wrong-credentials' ? attempt.failed(storedName) : attempt.denied(storedName))
}

/**
 * Waits until a whole number of seconds has passed. A limit that was reached during the check refuses right and wrong
 * passwords alike, but a right one takes longer in some stores: a search for groups, a new hash.
 */
async function untilFullSecond(fromMs: number): Promise<void> {
  await sleep(1000 - ((performance.now() - fromMs) % 1000))
}

interface AuthenticatedViewer {
  readonly viewer: Viewer
  readonly context: PlayerContext
  readonly outcome: 'signed-in' | 'returned'
  /** Returns the secret that signs the response. Called after the decision, which may have taken seconds. */
  readonly secretOf: () => string
  /** Called only if access is granted, so that no other viewer gets a session. */
  readonly openSession: () => Promise<string | null> | string
}

async function sendToPlayer(
  deps: PassDeps,
  req: Request,
  res: Response,
  authenticated: AuthenticatedViewer,
): Promise<void> {
  const { viewer, context, outcome, secretOf, openSession } = authenticated
  const decision = await askAccessPolicy(deps.accessPolicy, viewer, deps.entryPoint, context.content)
  if (!decision.ok) return deps.refusals.accessDenied(req, res, { viewer, context, decision })
  const secret = secretOf()
  const location = passToPlayer(decision, deps.entryPoint, secret, context.address, deps.nowSeconds())
  deps.logSignIn(req, { outcome, viewer: viewer.username })
  const sessionId = await openSession()
  if (sessionId !== null) {
    const hasTwoSecrets = deps.hashSecrets().previous !== null
    deps.loopBreaker.countResponse(sessionId, targetOf(deps.entryPoint, context), hasTwoSecrets ? secret : null)
  }
  sendRedirect(res, deps.headersFor(context.address.origin), location)
}

/**
 * Returns the secret for a returning viewer. The service refused the response of a viewer who comes straight back:
 * during a change of the secret, the lock may have the other secret.
 */
function secretForReturn({ hashSecrets, loopBreaker }: PassDeps, sessionId: string, target: string): string {
  const { current, previous } = hashSecrets()
  if (previous === null) return current
  const refusedWith = (secret: string) => loopBreaker.responsesWith(sessionId, target, secret)
  return refusedWith(current) > refusedWith(previous) ? previous : current
}

/** True for a navigation. A script could read the response, but would not lead the viewer to the player. */
function isNavigation(req: Request): boolean {
  const destination = req.headers['sec-fetch-dest']
  return req.method === 'GET' && (destination === undefined || destination === 'iframe' || destination === 'document')
}

function targetOf({ name }: EntryPoint, { address, content }: PlayerContext): string {
  return `${name} ${address.url} ${content.type ?? ''} ${content.id ?? ''}`
}

function tooManyTries(retryAfterSeconds: number): Refusal {
  const inMinutes = retryAfterSeconds >= 120
  const count = inMinutes ? Math.ceil(retryAfterSeconds / 60) : retryAfterSeconds
  return { status: 429, text: inMinutes ? 'tooManyTriesMinutes' : 'tooManyTries', values: { count }, retryAfterSeconds }
}
