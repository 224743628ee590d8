import { type Request, type RequestHandler, type Response, Router } from 'express'
import { renderSVG } from 'uqr'
import { isFromOwnPage } from '../../../login/request/same-origin.ts'
import type { ManagerStore, StoredManager } from '../../cli/manager/accounts/manager-store.ts'
import { type createSeal, newStepSecret, stepAddress } from '../../cli/manager/accounts/second-step.ts'
import type { LogAct } from '../door/acts.ts'
import { formBody, valuesOf } from '../door/form-body.ts'
import { isSame, type LiveSession, type ManagerSessions } from '../door/sessions.ts'
import type { Renderer } from '../pages/renderer.ts'
import type { WordsFor } from '../pages/words.ts'
import type { Check, createManagerCheck } from './check-manager.ts'

export interface SignInDeps {
  readonly store: ManagerStore
  readonly sessions: ManagerSessions
  readonly seal: ReturnType<typeof createSeal>
  readonly check: ReturnType<typeof createManagerCheck>
  readonly renderer: Renderer
  readonly wordsFor: WordsFor
  readonly logAct: LogAct
  readonly addressOf: (req: Request) => string
  readonly origin: string
  /** The name of the page in authenticator apps. */
  readonly issuer: string
}

const START = '/'

/** Creates the routes of persons who are not signed in yet: password, second step, sign-out. All others pass the door. */
export function signInRoutes(deps: SignInDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/sign-in', (req, res) => {
    if (deps.sessions.of(req)?.isComplete) return void res.redirect(303, START)
    showSignIn(deps, req, res, 200, '')
  })
  router.post('/sign-in', formBody, checkPassword(deps))
  router.get('/second-step', (req, res) => {
    const session = halfSession(deps, req, res)
    if (session !== null) showSecondStep(deps, req, res, session, 200, '')
  })
  router.post('/second-step', formBody, checkCode(deps))
  router.post('/sign-out', formBody, signOut(deps))
  return router
}

function checkPassword(deps: SignInDeps): RequestHandler {
  const { sessions, check, addressOf, logAct } = deps
  return async (req, res) => {
    const form = valuesOf(req.body ?? {})
    const [name = ''] = form.get('name') ?? []
    const [password = ''] = form.get('password') ?? []
    const address = addressOf(req)
    const log = (outcome: 'done' | 'refused', detail?: string, manager: StoredManager | null = null) =>
      logAct({ act: 'password', outcome, manager, name, address, ...(detail && { detail }) })
    if (!isFromOwnPage(req.headers, deps.origin) || !sessions.isSignInToken(req, form.get('token')?.[0] ?? '')) {
      log('refused', 'token')
      return showSignIn(deps, req, res, 403, 'signIn.stale', name)
    }
    const checked = await check.password(name.trim(), password, address)
    if (!checked.ok) {
      log('refused', checked.reason)
      return showSignIn(deps, req, res, statusOf(checked), textOf(checked, 'signIn.wrong'), name)
    }
    log('done', undefined, checked.manager)
    sessions.start(req, res, checked.manager.key, false)
    res.redirect(303, '/second-step')
  }
}

function checkCode(deps: SignInDeps): RequestHandler {
  const { sessions, check, seal, addressOf, logAct } = deps
  return async (req, res) => {
    const session = halfSession(deps, req, res)
    if (session === null) return
    const { manager } = session
    const form = valuesOf(req.body ?? {})
    const address = addressOf(req)
    const isFirst = manager.stepSecret === null
    const log = (outcome: 'done' | 'refused', detail?: string) =>
      logAct({ act: isFirst ? 'second-step-set' : 'signed-in', outcome, manager, address, ...(detail && { detail }) })
    if (!isFromOwnPage(req.headers, deps.origin) || !isSame(form.get('token')?.[0] ?? '', session.formToken)) {
      log('refused', 'token')
      return showSecondStep(deps, req, res, session, 403, 'signIn.stale')
    }
    const sealed = manager.stepSecret ?? session.stepSecret
    if (sealed === null) return void res.redirect(303, '/second-step')
    const checked = await check.code(manager, { code: form.get('code')?.[0] ?? '', address }, sealed, seal.open)
    if (!checked.ok) {
      log('refused', checked.reason)
      return showSecondStep(deps, req, res, session, statusOf(checked), textOf(checked, 'signIn.wrongCode'))
    }
    log('done')
    sessions.start(req, res, manager.key, true)
    res.redirect(303, START)
  }
}

function signOut({ sessions, origin, addressOf, logAct }: SignInDeps): RequestHandler {
  return (req, res) => {
    const session = sessions.of(req)
    const [token = ''] = valuesOf(req.body ?? {}).get('token') ?? []
    const isOwn = session === null || (isFromOwnPage(req.headers, origin) && isSame(token, session.formToken))
    if (!isOwn) return void res.redirect(303, START)
    if (session) logAct({ act: 'signed-out', outcome: 'done', manager: session.manager, address: addressOf(req) })
    sessions.end(req, res)
    res.redirect(303, '/sign-in')
  }
}

/** Returns the session of a person who has typed the right password, or redirects. */
function halfSession({ sessions }: SignInDeps, req: Request, res: Response): LiveSession | null {
  const session = sessions.of(req)
  if (session !== null && !session.isComplete) return session
  res.redirect(303, session === null ? '/sign-in' : START)
  return null
}

function showSignIn(deps: SignInDeps, req: Request, res: Response, status: number, fault: string, name = ''): void {
  const token = deps.sessions.signInToken(req, res)
  const words = deps.wordsFor(req)
  const model = { title: words.t.signIn.title, token, name: name.slice(0, 255), fault: fault && words.say(fault) }
  deps.renderer.sendOpen(res, words, 'sign-in', model, status)
}

function showSecondStep(
  deps: SignInDeps,
  req: Request,
  res: Response,
  session: LiveSession,
  status: number,
  fault: string,
): void {
  const { manager } = session
  const words = deps.wordsFor(req)
  const setup = manager.stepSecret === null ? setupOf(deps, session) : null
  const model = { title: words.t.signIn.stepTitle, token: session.formToken, fault: fault && words.say(fault), setup }
  deps.renderer.sendOpen(res, words, 'second-step', model, status)
}

/** Makes the secret of a manager without a second step, and keeps it in the session until the first right code. */
function setupOf({ store, seal, issuer }: SignInDeps, { id, manager, stepSecret }: LiveSession) {
  const known = stepSecret && seal.open(stepSecret, manager.key)
  const secret = known ?? newStepSecret()
  if (known === null) store.setNewSecret(id, seal.seal(secret, manager.key))
  return {
    secret: secret.replace(/(.{4})(?=.)/g, '$1 '),
    picture: renderSVG(stepAddress(secret, issuer, manager.name)),
  }
}

function statusOf(check: Extract<Check, { ok: false }>): number {
  return check.reason === 'limit' ? 429 : 401
}

function textOf(check: Extract<Check, { ok: false }>, wrong: string): string {
  return check.reason === 'limit' ? 'signIn.limit' : wrong
}
