import { createHmac, randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import session from 'express-session'
import type { SecurityLog } from '../server/log/log.ts'
import type { UserStore, Viewer } from '../users/user-store.ts'
import type { Identity } from './identity.ts'
import type { SessionLimits, SessionViewer } from './session-store.ts'

export interface SessionDeps {
  readonly store: session.Store
  /** The first secret signs cookies; all are accepted. */
  readonly secrets: readonly string[]
  readonly limits: SessionLimits
  /** True if PUBLIC_URL is https; otherwise it is a loopback address. */
  readonly isTls: boolean
  readonly users: Pick<UserStore, 'find'>
  readonly nowSeconds: () => number
  readonly securityLog: Pick<SecurityLog, 'info'>
  /** Called with a fault that does not fail the request. */
  readonly warn: (error: unknown, effect: string) => void
}

/**
 * True if a session counts at an entry point. Two viewers may have the same user name: one in the user store, without an
 * identity, and one of each other system.
 */
export type AcceptsSession = (viewer: SessionViewer, nowSeconds: number) => boolean

export interface ReturningViewer {
  readonly viewer: Viewer
  readonly sessionId: string
  readonly identity: Identity | undefined
}

/** Sessions are optional: the login also works in browsers that refuse the cookie. */
export type Sessions = ReturnType<ReturnType<typeof createSessions>['at']>

const COOKIE = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const

/** The same form again within this time gets the same session. */
const AGAIN_SECONDS = 10
/** Browsers send the second form of a double click sooner. */
const DOUBLE_SECONDS = 3
const PAGE = /^[\w-]{16,6000}$/

const LOST_USE = 'the last use of a session was not stored'

/** Creates the sessions of all entry points. A browser has one session for all, and `at` is the view of one entry point. */
export function createSessions(deps: SessionDeps) {
  const { nowSeconds, securityLog, warn, isTls } = deps
  const name = isTls ? '__Host-viewer' : 'viewer'
  const { nameForm, idOfForm } = createFormIds(deps)
  const middleware = sessionMiddleware(deps, name, idOfForm)
  const hasCookie = (req: Request) => req.headers.cookie?.includes(`${name}=`) ?? false

  const load = (req: Request, res: ResponseHooks) => withCallback((done) => middleware(req, res as Response, done))
  const returningFrom = (accepts: AcceptsSession) => async (req: Request, res: Response) => {
    if (!hasCookie(req)) return null
    try {
      await load(req, unsentResponse())
    } catch (error) {
      warn(error, 'a returning viewer must sign in')
      return null
    }
    const stored = req.session?.viewer
    if (stored === undefined || !accepts(stored, nowSeconds())) return null
    deps.store.touch?.(req.sessionID, req.session, (error?: unknown) => error && warn(error, LOST_USE))
    const viewer = await currentViewer(deps, stored)
    if (typeof viewer !== 'string') return { viewer, sessionId: req.sessionID, identity: stored.identity }
    securityLog.info({ event: 'session-ended', viewer: stored.username, reason: viewer })
    await end(req, res).catch((error: unknown) => warn(error, 'a session that is over stays in the store'))
    return null
  }
  const find = (accepts: AcceptsSession) => async (described: SessionViewer) => {
    const viewer = accepts(described, nowSeconds()) ? await currentViewer(deps, described) : null
    return typeof viewer === 'string' ? null : viewer
  }
  const describe = (viewer: Viewer, identity?: Identity, atSeconds?: number) =>
    storedViewer(deps, viewer, identity, atSeconds)
  /**
   * Starts a session after a sign-in, under a new id, and ends the old session. No other function starts one.
   * @param identity of a viewer who is never looked up in the user store.
   * @param atSeconds UNIX time of an earlier sign-in. Default: now.
   * @returns the id; null if the session store failed, and the viewer gets no cookie.
   */
  async function start(req: Request, res: Response, viewer: Viewer, identity?: Identity, atSeconds?: number) {
    try {
      await load(req, res)
      // Without an old session, the id is new already. hasCookie() is stricter than express-session.
      if (req.session.viewer !== undefined) await withCallback((callback) => req.session.regenerate(callback))
      req.session.viewer = describe(viewer, identity, atSeconds)
      await withCallback((callback) => req.session.save(callback))
      // express-session sends Expires alone: a browser whose clock is hours ahead drops such a cookie.
      const data = { ...Reflect.get(req.session.cookie, 'data'), maxAge: deps.limits.lifetimeSeconds }
      Object.defineProperty(req.session.cookie, 'data', { value: data })
      return req.sessionID
    } catch (error) {
      warn(error, 'a viewer signed in without a session')
      removeCookie(req, res)
      return null
    }
  }
  /**
   * Ends the session in the store and removes the cookie, also if the store fails: the next person at this device must
   * not pass as the viewer once the store is back.
   * @returns the user name; undefined if there was no session.
   * @throws Error if the session may still be in the store.
   */
  async function end(req: Request, res: Response): Promise<string | undefined> {
    // Without a cookie, this request may have started the session.
    if (!hasCookie(req) && req.session === undefined) return undefined
    try {
      await load(req, res)
      const username = req.session.viewer?.username
      await withCallback((callback) => req.session.destroy(callback))
      return username
    } finally {
      removeCookie(req, res)
    }
  }
  /**
   * As `end`, but returns null, and does not throw: without the cookie, no browser can use a session that stays in the
   * store.
   */
  async function forget(req: Request, res: Response): Promise<null> {
    await end(req, res).catch((error: unknown) => warn(error, 'a session without a cookie stays in the store'))
    return null
  }
  /** Removes the cookie of a session that the store may not have ended: it may be of another viewer. */
  function removeCookie(req: Request, res: Response): void {
    Reflect.deleteProperty(req, 'session')
    if (hasCookie(req)) res.clearCookie(name, COOKIE)
  }
  return {
    at: (accepts: AcceptsSession) => ({
      /**
       * Looks up the signed-in viewer in the user store. Returns the viewer and the id of the session. Null without a
       * session that counts at this entry point, or if the session store fails: the viewer then signs in.
       * @throws UpstreamError if the user store cannot be reached.
       */
      returningViewer: returningFrom(accepts),
      /** Returns the part of a session that names its viewer, as at a sign-in now. */
      describe,
      /**
       * Looks up the viewer of a description, as `returningViewer` does. Null if a session with it would not count here now.
       * @throws UpstreamError if the user store cannot be reached.
       */
      find: find(accepts),
      nameForm,
      /** Returns the id of the session that a form gets. Undefined for a form without a name. */
      idOfForm,
      start,
      forget,
      end,
    }),
  }
}

/** Creates the ids of sessions by the forms that start them. The secret makes them as hard to guess as random ones. */
function createFormIds({ secrets, store, nowSeconds }: Pick<SessionDeps, 'secrets' | 'store' | 'nowSeconds'>) {
  const ids = new WeakMap<Request, string>()
  const hasSession = (id: string) =>
    new Promise<boolean>((resolve) => store.get(id, (error, found) => resolve(!error && found != null)))
  /**
   * Names the form of a sign-in. The same form again within seconds gets the same session: a double click is one sign-in.
   * @param form a random text that only this page has, and what was typed.
   */
  async function nameForm(req: Request, ...form: readonly unknown[]): Promise<void> {
    if (!PAGE.test(String(form[0]))) return
    const period = Math.floor(nowSeconds() / AGAIN_SECONDS)
    const idIn = (time: number) =>
      createHmac('sha256', `session of a form ${secrets[0]}`)
        .update(JSON.stringify([...form, time]))
        .digest('base64url')
        .slice(0, 32)
    // The first form may have come in the period before.
    const isEarly = nowSeconds() - period * AGAIN_SECONDS < DOUBLE_SECONDS
    const before = idIn(period - 1)
    ids.set(req, isEarly && (await hasSession(before)) ? before : idIn(period))
  }
  return { nameForm, idOfForm: (req: Request) => ids.get(req) }
}

/** Keeps groups and attributes only if the app cannot look up the viewer without a sign-in. */
function storedViewer(
  { users, nowSeconds }: Pick<SessionDeps, 'users' | 'nowSeconds'>,
  { username, groups, attributes, passwordVersion }: Viewer,
  identity: Identity | undefined,
  signedInAtSeconds = nowSeconds(),
): SessionViewer {
  const isFound = users.find !== undefined && identity === undefined
  const snapshot = isFound ? passwordVersion && { passwordVersion } : { snapshot: { groups, attributes } }
  return { username, signedInAtSeconds: Math.floor(signedInAtSeconds), ...snapshot, ...(identity && { identity }) }
}

/** Returns the viewer as the user store has it now, or why the session no longer counts. */
async function currentViewer(
  { users, limits, nowSeconds }: SessionDeps,
  stored: SessionViewer,
): Promise<Viewer | string> {
  const { signedInAtSeconds, identity } = stored
  const endsAtSeconds = Math.min(signedInAtSeconds + limits.lifetimeSeconds, identity?.endsAtSeconds ?? Infinity)
  if (endsAtSeconds <= nowSeconds()) return 'too old'
  const viewer = await lookUp(users, stored)
  if (viewer === null) return 'viewer gone or disabled'
  // A session of an earlier release, or a viewer of a store without hashes, has no version to compare.
  const before = stored.passwordVersion
  const now = viewer.passwordVersion
  return before !== undefined && now !== undefined && before !== now ? 'password changed' : viewer
}

function sessionMiddleware(
  { store, secrets, limits }: SessionDeps,
  name: string,
  idOfForm: (req: Request) => string | undefined,
): RequestHandler {
  return session({
    name,
    genid: (req) => idOfForm(req as Request) ?? randomBytes(24).toString('base64url'),
    secret: [...secrets],
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { ...COOKIE, maxAge: limits.lifetimeSeconds * 1000 },
  })
}

type ResponseHooks = Pick<Response, 'writeHead' | 'end'>

/**
 * A placeholder response for reading a session. express-session hooks into the response to save the session and to set
 * the cookie again. Neither may happen for a session that is only read.
 */
const unsentResponse = (): ResponseHooks => ({ writeHead: unsent, end: unsent })

function unsent(): never {
  throw new Error('This response is never sent')
}

async function lookUp(users: Pick<UserStore, 'find'>, stored: SessionViewer): Promise<Viewer | null> {
  if (users.find !== undefined && stored.identity === undefined) return await users.find(stored.username)
  return stored.snapshot === undefined ? null : { username: stored.username, ...stored.snapshot }
}

async function withCallback(work: (callback: (error?: unknown) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())))
}
