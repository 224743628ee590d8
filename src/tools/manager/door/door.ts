import { randomUUID } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { isOutage } from '../../../errors.ts'
import { isFromOwnPage } from '../../../server/same-origin.ts'
import type { UserStore } from '../../../users/user-store.ts'
import type { Manager } from '../../cli/manager/accounts/manager-store.ts'
import type { Renderer } from '../pages/renderer.ts'
import type { WordsFor } from '../pages/words.ts'
import type { LogAct } from './acts.ts'
import { createAgain } from './again.ts'
import { type Form, formBody, formOf, uploadBody, valuesOf } from './form-body.ts'
import { type KeptForm, type KeptForms, keptForm } from './kept-form.ts'
import type { ActSubject, Answer, Notice, Route, Visit } from './route.ts'
import { type Scope, seesName } from './scope.ts'
import { isSame, type LiveSession, type ManagerSessions } from './sessions.ts'

export interface DoorDeps {
  readonly routes: readonly Route[]
  readonly origin: string
  readonly sessions: ManagerSessions
  readonly renderer: Renderer
  readonly wordsFor: WordsFor
  readonly logAct: LogAct
  readonly addressOf: (req: Request) => string
  readonly scopeOf: (manager: Manager, event: string | null) => Scope
  /** The store of viewers, to look up those that paths name. */
  readonly users: UserStore
  /** Called before and after each post: no page shows old figures after an act, and no act relies on them. */
  readonly forgetFigures: () => void
  readonly setNotice: (sessionId: string, notice: Notice) => void
  readonly keptForms: KeptForms
  readonly onFault: (error: unknown, id: string) => void
}

type Refusal = { readonly status: 403 | 404; readonly detail: string }

/**
 * Creates the only way to the pages and acts of managers. For each route it checks the session, the second step, the
 * role, the origin and token of a post, and that the manager may see what the path names. Every post has a line in the log.
 * @throws Error for a route without a role, and for a post without the name of its act.
 */
export function createDoor(deps: DoorDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const again = createAgain(isRefused)
  for (const route of deps.routes) {
    if (route.roles.length === 0) throw new Error(`${route.method} ${route.path} has no role`)
    if (route.method === 'post' && route.act === undefined) throw new Error(`${route.path} has no act`)
    const before = route.method === 'get' ? [] : [bodyOf(deps, route)]
    router[route.method](route.path, ...before, enter(deps, route, again))
  }
  return router
}

/**
 * Reads the form of a manager who may post it, or whose session is over. Reads no byte from other callers: the door refuses
 * them.
 */
function bodyOf({ sessions }: DoorDeps, { roles, hasUpload }: Route): RequestHandler {
  const read = hasUpload ? uploadBody : formBody
  return (req, res, next) => {
    const session = sessions.of(req) ?? sessions.endedOf(req)
    if (!session?.isComplete || !roles.includes(session.manager.role)) return next()
    // Browsers send forms with their length. A body without a length may never end.
    if (req.headers['transfer-encoding'] !== undefined) return next({ status: 411 })
    read(req, res, next)
  }
}

function enter(deps: DoorDeps, route: Route, again: ReturnType<typeof createAgain<Answer>>): RequestHandler {
  return async (req, res) => {
    const session = deps.sessions.of(req)
    const form = route.method === 'post' ? await formOf(req) : { values: valuesOf(req.query), upload: null }
    if (session === null) {
      keepForNext(deps, route, req, form)
      return void res.redirect(303, '/sign-in')
    }
    if (!session.isComplete) return void res.redirect(303, '/second-step')
    const { manager } = session
    if (route.method === 'post') deps.forgetFigures()
    const kept = keptForm(deps.routes, route, req, form)
    const visit = visitOf(deps, req, session, form, route.method === 'post' ? kept : takeKept(deps, req, session))
    const log = (outcome: 'done' | 'refused' | 'failed', subject: ActSubject = {}) => {
      if (route.act === undefined && outcome === 'done') return
      const act = { act: route.act ?? 'page', outcome, manager, address: deps.addressOf(req) }
      deps.logAct({ ...act, ...subjectOf(req), ...subject })
    }
    try {
      const refusal = await refusalOf(deps, route, req, visit, form)
      if (refusal !== null) {
        log('refused', { detail: refusal.detail })
        if (refusal.detail === 'token') {
          deps.keptForms.set(session.id, kept)
          return deps.renderer.sendError(res, visit, 403, 'stale', { back: kept.page })
        }
        return deps.renderer.sendError(res, visit, refusal.status, refusal.status === 403 ? 'forbidden' : 'notFound')
      }
      if (route.method === 'get') return send(deps, res, visit, session, await route.handle(visit))
      const handled = again(session.id, req.originalUrl, form, () => route.handle(visit))
      const answer = await handled.answer
      if (!handled.isAgain) {
        deps.forgetFigures()
        log(isRefused(answer) ? 'refused' : 'done', answer.kind === 'redirect' ? answer.subject : {})
        const isBack = answer.kind === 'redirect' && answer.to.split('?')[0] === kept.page
        if (isBack && isRefused(answer)) deps.keptForms.set(session.id, kept)
      }
      send(deps, res, visit, session, answer)
    } catch (error) {
      const id = randomUUID()
      deps.onFault(error, id)
      log('failed')
      if (res.headersSent) return
      if (isOutage(error)) deps.renderer.sendError(res, visit, 503, 'away', { id })
      else deps.renderer.sendError(res, visit, 500, 'fault', { id })
    }
  }
}

async function refusalOf(
  deps: DoorDeps,
  route: Route,
  req: Request,
  visit: Visit,
  form: Form,
): Promise<Refusal | null> {
  if (!route.roles.includes(visit.manager.role)) return { status: 403, detail: 'role' }
  if (route.method === 'post') {
    if (!isFromOwnPage(req.headers, deps.origin)) return { status: 403, detail: 'origin' }
    if (!isSame(form.values.get('token')?.[0] ?? '', visit.formToken)) return { status: 403, detail: 'token' }
  }
  const { scope } = visit
  const { viewer, entryPoint } = subjectOf(req)
  const isSeen =
    (viewer === undefined || (await seesName(deps.users, scope, viewer))) &&
    (entryPoint === undefined || scope.seesEntryPoint(entryPoint))
  return isSeen ? null : { status: 404, detail: 'entry point of other managers' }
}

/** Keeps what a manager wanted whose session is over, for the next session of the same manager. */
function keepForNext({ sessions, origin, routes, keptForms }: DoorDeps, route: Route, req: Request, form: Form): void {
  const ended = sessions.endedOf(req)
  if (ended === null || !isFromOwnPage(req.headers, origin)) return
  const { method } = route
  if (method === 'post' && isSame(form.values.get('token')?.[0] ?? '', ended.formToken)) {
    keptForms.set(ended.id, keptForm(routes, route, req, form))
  }
  const isPage = method === 'get' && req.accepts('html') !== false && !keptForms.has(ended.id)
  if (isPage) keptForms.set(ended.id, { page: req.originalUrl, values: null, parts: {}, isOwnPage: false })
}

/** Returns the form that comes back on this page, once. */
function takeKept({ keptForms }: DoorDeps, req: Request, { id }: LiveSession): KeptForm | null {
  const kept = keptForms.get(id)
  if (kept === undefined || (kept.values !== null && kept.page !== req.path)) return null
  keptForms.delete(id)
  return kept.values === null ? null : kept
}

/** @param kept the form as it comes back. */
function visitOf(deps: DoorDeps, req: Request, session: LiveSession, form: Form, kept: KeptForm | null): Visit {
  const { name, role, entryPoints } = session.manager
  const manager = { name, role, entryPoints }
  const { upload } = form
  const values = kept?.values && kept.isOwnPage && form.values.size === 0 ? kept.values : form.values
  return {
    manager,
    scope: deps.scopeOf(manager, session.event),
    field(wanted) {
      const [value, ...more] = values.get(wanted) ?? []
      return value === undefined || more.length > 0 ? '' : value
    },
    fields: (wanted) => values.get(wanted) ?? [],
    typed: (wanted, fresh) => (kept?.values ? (kept.values.get(wanted)?.[0] ?? '') : fresh),
    part: (wanted) => String(req.params[wanted] ?? kept?.parts[wanted] ?? ''),
    upload,
    words: deps.wordsFor(req),
    sessionId: session.id,
    isSignedIn: () => deps.sessions.isLive(session.id),
    formToken: session.formToken,
  }
}

/** Returns the viewer and the entry point that the path names. */
function subjectOf({ params: { name, entryPoint } }: Request): ActSubject {
  return {
    ...(name !== undefined && { viewer: String(name) }),
    ...(entryPoint !== undefined && { entryPoint: String(entryPoint) }),
  }
}

function isRefused(answer: Answer): boolean {
  if (answer.kind === 'page') return (answer.status ?? 200) >= 400
  return answer.kind === 'redirect' && answer.notice?.tone === 'refused'
}

function send(deps: DoorDeps, res: Response, visit: Visit, session: LiveSession, answer: Answer): void {
  switch (answer.kind) {
    case 'redirect':
      if (answer.notice) deps.setNotice(visit.sessionId, answer.notice)
      res.redirect(303, answer.to)
      return
    case 'page':
      if (answer.reload) res.setHeader('Refresh', `${answer.reload.seconds};url=${answer.reload.to}`)
      deps.renderer.sendPage(res, visit, answer, session)
      return
    case 'file':
      res.attachment(answer.name).type(answer.type).send(answer.content)
      return
    case 'stream':
      answer.open(res)
  }
}
