import type { Request, RequestHandler, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { LimitRefusal } from '../sign-in-limits/sign-in-limits.ts'
import type { Authentication, Viewer } from '../users/user-store.ts'
import { passToPlayer } from './pass-to-player.ts'
import { type Carried, nothingCarried, readCarried } from './request/player-context.ts'
import { readSignInForm, type SignInForm } from './request/sign-in-form.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { describeError } from './screens/error-page.ts'
import { type Refusal, sendRedirect } from './screens/screens.ts'

type PassDeps = Pick<
  EntryPointDeps,
  'entryPoint' | 'refusals' | 'loopBreaker' | 'headersFor' | 'logSignIn' | 'nowSeconds'
>
type AuthenticateDeps = Pick<EntryPointDeps, 'users' | 'signInLimits' | 'logSignIn' | 'addressOf'>

/** The sign-in screen; for a signed-in viewer at once the redirect with a fresh response. */
export function getSignIn(deps: PassDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>): RequestHandler {
  const { entryPoint, screens, sessions, refusals, loopBreaker } = deps
  const bare = { ok: true, carried: nothingCarried(entryPoint) } as const

  return async function getSignInScreen(req, res) {
    const query: Record<string, unknown> = req.url.includes('?') ? req.query : {}
    const reading = req.url.includes('?') ? readCarried(query, entryPoint) : bare
    if (!reading.ok) return refusals.badCarried(req, res, reading)
    const { carried } = reading
    const returning = await sessions.returningViewer(req, res)
    if (returning === null) return screens.sendSignIn(req, res, { carried })
    const { viewer, sessionId } = returning
    if (query.prompt === 'login' || !isNavigation(req)) {
      return screens.sendSignIn(req, res, { carried, signedInAs: viewer.username })
    }
    if (loopBreaker.isLooping(loopKey(sessionId, entryPoint, carried)))
      return refusals.looping(req, res, viewer, carried)
    await passOn(deps, req, res, { viewer, carried, outcome: 'returned', openSession: () => sessionId })
  }
}

/** Checks the credentials and passes the viewer on to the player. */
export function postSignIn(
  deps: PassDeps & AuthenticateDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>,
): RequestHandler {
  const { entryPoint, screens, sessions, refusals, logSignIn } = deps

  return async function postSignInForm(req, res) {
    if (refusals.notAForm(req, res)) return
    const reading = readCarried(req.body, entryPoint)
    if (!reading.ok) return refusals.badCarried(req, res, reading)
    const { carried } = reading
    const fields = readSignInForm(req.body)
    const username = fields.ok ? fields.form.username : fields.username
    const again = (refusal: Refusal) => screens.sendSignIn(req, res, { carried, refusal, username })
    if (refusals.isForeign(req)) return again({ status: 403, text: 'notFromOwnPage' })
    if (!fields.ok) {
      logSignIn(req, { outcome: 'refused-request', status: fields.refusal.status, reason: fields.refusal.text })
      return again(fields.refusal)
    }
    try {
      const authentication = await authenticate(deps, req, fields.form)
      if (!authentication.ok) return again(authentication.refusal)
      const { viewer } = authentication
      const openSession = () => sessions.start(req, res, viewer)
      await passOn(deps, req, res, { viewer, carried, outcome: 'signed-in', openSession })
    } catch (error) {
      const refusal = describeError(error)
      // Under an overload the log must not become another: one line each, without a stack.
      const event =
        refusal.text === 'overloaded' ? { outcome: 'overloaded' as const } : { outcome: 'failed' as const, error }
      logSignIn(req, { ...event, viewer: username, status: refusal.status })
      again(refusal)
    }
  }
}

/** What a viewer is told who is not signed in; all but the first only after the right password. */
const REFUSALS: Readonly<Record<Exclude<Authentication, { ok: true }>['reason'], Refusal>> = {
  'wrong-credentials': { status: 401, text: 'wrongCredentials' },
  disabled: { status: 403, text: 'disabled' },
  'expired-password': { status: 403, text: 'expiredPassword' },
}

type Checked = { readonly ok: true; readonly viewer: Viewer } | { readonly ok: false; readonly refusal: Refusal }

async function authenticate(deps: AuthenticateDeps, req: Request, form: SignInForm): Promise<Checked> {
  const { users, signInLimits, logSignIn, addressOf } = deps
  const tooMany = ({ limit, retryAfterSeconds }: LimitRefusal): Checked => {
    logSignIn(req, { outcome: 'too-many-tries', viewer: form.username, limit })
    return { ok: false, refusal: tooManyTries(retryAfterSeconds) }
  }
  users.assertRoom?.()
  const admission = await signInLimits.admit(form.username, addressOf(req))
  if (!admission.ok) return tooMany(admission)
  let authentication: Awaited<ReturnType<typeof users.authenticate>>
  try {
    authentication = await users.authenticate(form.username, form.password)
  } catch (error) {
    await admission.attempt.abandoned()
    throw error
  }
  const { attempt } = admission
  if (authentication.ok) {
    const heldBack = await attempt.succeeded()
    return heldBack ? tooMany(heldBack) : authentication
  }
  const isRightPassword = authentication.reason !== 'wrong-credentials'
  const heldBack = isRightPassword ? await attempt.turnedAway() : await attempt.failed()
  if (heldBack) return tooMany(heldBack)
  logSignIn(req, { outcome: authentication.reason, viewer: form.username })
  return { ok: false, refusal: REFUSALS[authentication.reason] }
}

interface PassRequest {
  readonly viewer: Viewer
  readonly carried: Carried
  readonly outcome: 'signed-in' | 'returned'
  /** Called only for a viewer who passes: nobody else gets a session. */
  readonly openSession: () => Promise<string | null> | string
}

async function passOn(deps: PassDeps, req: Request, res: Response, pass: PassRequest): Promise<void> {
  const { viewer, carried, outcome, openSession } = pass
  const passing = passToPlayer(viewer, deps.entryPoint, carried.content, carried.address, deps.nowSeconds())
  if (!passing.ok) return deps.refusals.notPassed(req, res, { viewer, carried, passing })
  deps.logSignIn(req, { outcome, viewer: viewer.username })
  const sessionId = await openSession()
  if (sessionId !== null) deps.loopBreaker.countResponse(loopKey(sessionId, deps.entryPoint, carried))
  sendRedirect(res, deps.headersFor(carried.address.origin), passing.location)
}

/** Only a page that is navigated to can follow the redirect to the player; anything else would only collect it. */
function isNavigation(req: Request): boolean {
  const destination = req.headers['sec-fetch-dest']
  return req.method === 'GET' && (destination === undefined || destination === 'iframe' || destination === 'document')
}

function loopKey(sessionId: string, { name }: EntryPoint, { address, content }: Carried): string {
  return `${sessionId} ${name} ${address.url} ${content.type ?? ''} ${content.id ?? ''}`
}

function tooManyTries(retryAfterSeconds: number): Refusal {
  const inMinutes = retryAfterSeconds >= 120
  const count = inMinutes ? Math.ceil(retryAfterSeconds / 60) : retryAfterSeconds
  return { status: 429, text: inMinutes ? 'tooManyTriesMinutes' : 'tooManyTries', values: { count }, retryAfterSeconds }
}
