import { type Request, type RequestHandler, type Response, Router } from 'express'
import { renderSVG } from 'uqr'
import { isFromOwnPage } from '../../../server/same-origin.ts'
import { cleanName } from '../../../typed-text.ts'
import type { ManagerStore } from '../../cli/manager/accounts/manager-store.ts'
import { type createSeal, newStepSecret, stepAddress } from '../../cli/manager/accounts/second-step.ts'
import type { LogAct } from '../door/acts.ts'
import { createAgain } from '../door/again.ts'
import { formBody, valuesOf } from '../door/form-body.ts'
import type { KeptForms } from '../door/kept-form.ts'
import type { Notice } from '../door/route.ts'
import { isSame, type LiveSession, type ManagerSessions } from '../door/sessions.ts'
import type { Renderer } from '../pages/renderer.ts'
import type { WordsFor } from '../pages/words.ts'
import type { Check, createManagerCheck } from './check-manager.ts'
import type { OtherStep } from './other-step.ts'

export interface SignInDeps {
  readonly store: ManagerStore
  readonly sessions: ManagerSessions
  readonly seal: ReturnType<typeof createSeal>
  readonly check: ReturnType<typeof createManagerCheck>
  /** Forms of sessions that are over. */
  readonly keptForms: KeptForms
  readonly setNotice: (sessionId: string, notice: Notice) => void
  readonly renderer: Renderer
  readonly wordsFor: WordsFor
  readonly logAct: LogAct
  readonly addressOf: (req: Request) => string
  readonly origin: string
  readonly nowSeconds: () => number
  /** The name of the page in authenticator apps. */
  readonly issuer: string
}

const START = '/'

/** Creates the routes of persons who are not signed in yet: password, second step, sign-out. All others pass the door. */
export function signInRoutes(deps: SignInDeps, steps: readonly OtherStep[]): Router {
  const router = Router({ caseSensitive: true, strict: true })
  addPassword(router, deps)
  addSecondStep(router, deps, steps)
  router.post('/sign-out', formBody, signOut(deps))
  return router
}

function addPassword(router: Router, deps: SignInDeps): void {
  const { sessions, check, addressOf, logAct, origin, renderer, wordsFor, keptForms } = deps

  function show(req: Request, res: Response, status = 200, fault = '', name = ''): void {
    const words = wordsFor(req)
    const token = sessions.signInToken(req, res)
    const ended = sessions.endedOf(req)
    const model = {
      title: words.t.signIn.title,
      token,
      name: name.slice(0, 255),
      fault: fault && words.say(fault),
      hasEnded: ended !== null,
      hasText: ended !== null && keptForms.get(ended.id)?.values != null,
    }
    renderer.send(res, { words }, 'sign-in', model, status)
  }
  router.get('/sign-in', (req, res) => {
    if (sessions.of(req)?.isComplete) res.redirect(303, START)
    else show(req, res)
  })
  router.post('/sign-in', formBody, async (req, res) => {
    const field = fieldOf(req)
    const name = cleanName(field('name'))
    const address = addressOf(req)
    const refuse = (status: number, reason: string, fault: string) => {
      logAct({ act: 'password', outcome: 'refused', manager: null, name, address, detail: reason })
      show(req, res, status, fault, name)
    }
    if (!isFromOwnPage(req.headers, origin) || !sessions.isSignInToken(req, field('token'))) {
      return refuse(403, 'token', 'signIn.stale')
    }
    const checked = await check.password(name, field('password'), address)
    if (!checked.ok) return refuse(...refusalOf(checked, 'signIn.wrong'))
    logAct({ act: 'password', outcome: 'done', manager: checked.manager, name, address })
    sessions.give(res, sessions.start(req, checked.manager.key, false))
    res.redirect(303, '/second-step')
  })
}

function addSecondStep(router: Router, deps: SignInDeps, steps: readonly OtherStep[]): void {
  const { sessions, check, seal, addressOf, logAct, origin, renderer, wordsFor, keptForms, setNotice } = deps
  const again = createAgain<string | null>((id) => id === null)

  function show(req: Request, res: Response, session: LiveSession, status = 200, fault = ''): void {
    const words = wordsFor(req)
    const setup = session.manager.stepSecret === null ? setupOf(deps, session) : null
    const model = {
      title: words.t.signIn.stepTitle,
      token: session.formToken,
      fault: fault && words.say(fault),
      setup,
      offers: steps.map((step) => step.offer(session, words)),
    }
    renderer.send(res, { words }, 'second-step', model, status)
  }
  router.get('/second-step', (req, res) => {
    const session = halfSession(deps, req, res)
    if (session !== null) show(req, res, session)
  })
  router.post('/second-step', formBody, async (req, res) => {
    const browser = JSON.stringify([isFromOwnPage(req.headers, origin), req.headers.cookie])
    const form = { values: valuesOf(req.body ?? {}), upload: null }
    const { answer, isAgain } = again(browser, req.path, form, () => passed(req, res))
    const id = await answer
    if (id === null) return isAgain ? res.redirect(303, '/second-step') : undefined
    sessions.give(res, id)
    const kept = keptForms.get(id)
    if (kept?.values) setNotice(id, { tone: 'done', text: 'signIn.textIsHere' })
    res.redirect(303, kept?.page ?? START)
  })
  /** Checks the code, or another step, and returns the id of the session that begins. Null if it refused, and answered. */
  async function passed(req: Request, res: Response): Promise<string | null> {
    const session = halfSession(deps, req, res)
    if (session === null) return null
    const { manager, formToken, newSecret } = session
    const field = fieldOf(req)
    const address = addressOf(req)
    const act = manager.stepSecret === null ? 'second-step-set' : 'signed-in'
    const refuse = (status: number, reason: string, fault: string) => {
      logAct({ act, outcome: 'refused', manager, address, detail: reason })
      show(req, res, session, status, fault)
      return null
    }
    if (!isFromOwnPage(req.headers, origin) || !isSame(field('token'), formToken)) {
      return refuse(403, 'token', 'signIn.stale')
    }
    const sealed = manager.stepSecret ?? newSecret
    if (sealed === null) {
      res.redirect(303, '/second-step')
      return null
    }
    const other = steps.find(({ name }) => name === field('step'))
    const checked = other
      ? await check.otherStep(manager, address, () => other.findFault(session, field))
      : await check.code(manager, { code: field('code'), address }, sealed, seal.open)
    if (!checked.ok) return refuse(...refusalOf(checked, other?.wrong ?? 'signIn.wrongCode'))
    logAct({ act, outcome: 'done', manager, address, ...(other && { detail: other.name }) })
    return sessions.start(req, manager.key, true)
  }
}

function signOut({ sessions, origin, addressOf, logAct }: SignInDeps): RequestHandler {
  return (req, res) => {
    const session = sessions.of(req)
    const isOwn =
      session === null || (isFromOwnPage(req.headers, origin) && isSame(fieldOf(req)('token'), session.formToken))
    if (!isOwn) return res.redirect(303, START)
    if (session) logAct({ act: 'signed-out', outcome: 'done', manager: session.manager, address: addressOf(req) })
    sessions.end(req, res)
    res.redirect(303, '/sign-in')
  }
}

/** Returns a function that reads a field of the form. A missing field is empty. */
export function fieldOf(req: Request): (name: string) => string {
  const form = valuesOf(req.body ?? {})
  return (name) => form.get(name)?.[0] ?? ''
}

/** Returns the session of a person who has typed the right password, or redirects. */
function halfSession({ sessions }: SignInDeps, req: Request, res: Response): LiveSession | null {
  const session = sessions.of(req)
  if (session !== null && !session.isComplete) return session
  res.redirect(303, session === null ? '/sign-in' : START)
  return null
}

/** Makes the secret of a manager without a second step, and keeps it in the session until the first right code. */
function setupOf({ store, seal, issuer }: SignInDeps, { id, manager, newSecret }: LiveSession) {
  const known = newSecret && seal.open(newSecret, manager.key)
  const secret = known ?? newStepSecret()
  if (known === null) store.setNewSecret(id, seal.seal(secret, manager.key))
  return {
    secret: secret.replace(/(.{4})(?=.)/g, '$1 '),
    picture: renderSVG(stepAddress(secret, issuer, manager.name)),
  }
}

function refusalOf({ reason }: Extract<Check, { ok: false }>, wrong: string): [number, string, string] {
  return reason === 'limit' ? [429, reason, 'signIn.limit'] : [401, reason, wrong]
}
