import type { Request, RequestHandler, Response } from 'express'
import session from 'express-session'
import type { SecurityLog } from '../server/log/log.ts'
import type { UserStore, Viewer } from '../users/user-store.ts'
import type { SessionLimits, SsoOrigin } from './session-store.ts'

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
  /** Called with a fault of the session store that does not fail the request. */
  readonly warn: (error: unknown, effect: string) => void
}

/** The viewers whose sessions count at an entry point. */
export interface AcceptedViewers {
  /** True if viewers of the user store may return. */
  readonly withPassword: boolean
  /** The provider whose viewers may return. Null for none. */
  readonly providerId: string | null
  /** How long SSO viewers may return without being asked there again. */
  readonly providerSeconds: number
}

/** The sessions of all entry points: a browser has one session for all. */
export interface AllSessions {
  /** Returns the sessions as one entry point sees them. */
  at(accepted: AcceptedViewers): Sessions
}

/** Sessions are optional: the login also works in browsers that refuse the cookie. */
export interface Sessions {
  /**
   * Looks up the signed-in viewer in the user store. Returns the viewer and the id of the session. Null without a
   * session that counts at this entry point, or if the session store fails: the viewer then signs in.
   * @throws UpstreamError if the user store cannot be reached.
   */
  returningViewer(req: Request, res: Response): Promise<{ viewer: Viewer; sessionId: string } | null>
  /**
   * Starts a session after a sign-in, under a new id, and ends the old session. No other function starts one.
   * @param sso for an SSO viewer, who is never looked up in the user store.
   * @returns the id; null if the session store failed: the viewer continues without a session and without a cookie.
   */
  start(req: Request, res: Response, viewer: Viewer, sso?: SsoOrigin): Promise<string | null>
  /**
   * Ends the earlier session of this browser, if there is one, and removes its cookie. Does not throw: without the
   * cookie, no browser can use a session that stays in the store.
   * @returns null: there is no session.
   */
  forget(req: Request, res: Response): Promise<null>
  /**
   * Ends the session in the store and removes the cookie, also if the store fails: the next person at this device must
   * not pass as the viewer once the store is back.
   * @returns the user name; undefined if there was no session.
   * @throws Error if the session may still be in the store.
   */
  end(req: Request, res: Response): Promise<string | undefined>
}

const COOKIE = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const

export function createSessions(deps: SessionDeps): AllSessions {
  const { users, limits, nowSeconds, securityLog, warn, isTls } = deps
  const name = isTls ? '__Host-viewer' : 'viewer'
  const middleware = sessionMiddleware(deps, name)
  const hasCookie = (req: Request) => req.headers.cookie?.includes(`${name}=`) ?? false
  const logTouchFailure = (error?: unknown) => error && warn(error, 'the last use of a session was not stored')

  const load = (req: Request, res: ResponseHooks) => withCallback((done) => middleware(req, res as Response, done))
  async function returningViewer(req: Request, res: Response, accepted: AcceptedViewers) {
    if (!hasCookie(req)) return null
    try {
      await load(req, unsentResponse())
    } catch (error) {
      warn(error, 'a returning viewer must sign in')
      return null
    }
    const stored = req.session?.viewer
    if (stored === undefined || !isAccepted(stored, accepted, nowSeconds())) return null
    deps.store.touch?.(req.sessionID, req.session, logTouchFailure)
    const isOver = endOf(stored, limits) <= nowSeconds()
    const viewer = isOver ? null : await lookUp(users, stored)
    if (viewer !== null) return { viewer, sessionId: req.sessionID }
    const reason = isOver ? 'too old' : 'viewer gone or disabled'
    securityLog.info({ event: 'session-ended', viewer: stored.username, reason })
    await end(req, res).catch((error: unknown) => warn(error, 'a session that is over stays in the store'))
    return null
  }
  async function start(req: Request, res: Response, viewer: Viewer, sso?: SsoOrigin): Promise<string | null> {
    try {
      await load(req, res)
      // Without an old session, the id is new already. hasCookie() is stricter than express-session.
      if (req.session.viewer !== undefined) await withCallback((callback) => req.session.regenerate(callback))
      req.session.viewer = storedViewer(viewer, Math.floor(nowSeconds()), users, sso)
      await withCallback((callback) => req.session.save(callback))
      return req.sessionID
    } catch (error) {
      warn(error, 'a viewer signed in without a session')
      removeCookie(req, res)
      return null
    }
  }
  async function end(req: Request, res: Response): Promise<string | undefined> {
    if (!hasCookie(req)) return undefined
    try {
      if (req.session === undefined) await load(req, res)
      const username = req.session.viewer?.username
      await withCallback((callback) => req.session.destroy(callback))
      return username
    } finally {
      removeCookie(req, res)
    }
  }
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
    at: (accepted) => ({ returningViewer: (req, res) => returningViewer(req, res, accepted), start, forget, end }),
  }
}

type StoredViewer = NonNullable<session.SessionData['viewer']>

/** Two viewers may have the same user name: one in the user store, and one at each provider. */
function isAccepted(
  { sso, signedInAtSeconds }: StoredViewer,
  { withPassword, providerId, providerSeconds }: AcceptedViewers,
  nowSeconds: number,
): boolean {
  if (sso === undefined) return withPassword
  // The session may be from an entry point with the same provider and a longer limit.
  return sso.providerId === providerId && signedInAtSeconds + providerSeconds > nowSeconds
}

/** Keeps groups and attributes only if the app cannot look up the viewer without a sign-in. */
function storedViewer(
  { username, groups, attributes }: Viewer,
  signedInAtSeconds: number,
  users: Pick<UserStore, 'find'>,
  sso: SsoOrigin | undefined,
): StoredViewer {
  const snapshot = { snapshot: { groups, attributes } }
  if (sso !== undefined) return { username, signedInAtSeconds, ...snapshot, sso }
  return { username, signedInAtSeconds, ...(users.find === undefined && snapshot) }
}

function endOf({ signedInAtSeconds, sso }: StoredViewer, { lifetimeSeconds }: SessionLimits): number {
  return Math.min(signedInAtSeconds + lifetimeSeconds, sso?.endsAtSeconds ?? Number.POSITIVE_INFINITY)
}

function sessionMiddleware({ store, secrets, limits }: SessionDeps, name: string): RequestHandler {
  return session({
    name,
    secret: [...secrets],
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { ...COOKIE, maxAge: limits.lifetimeSeconds * 1000 },
  })
}

type ResponseHooks = Pick<Response, 'writeHead' | 'end'>

/**
 * Returns a placeholder response for reading a session. express-session hooks into the response to save the session and
 * to set the cookie again. Neither may happen for a session that is only read.
 */
function unsentResponse(): ResponseHooks {
  return { writeHead: unsent, end: unsent }
}

function unsent(): never {
  throw new Error('This response is never sent')
}

async function lookUp(users: Pick<UserStore, 'find'>, stored: StoredViewer): Promise<Viewer | null> {
  if (users.find !== undefined && stored.sso === undefined) return await users.find(stored.username)
  return stored.snapshot === undefined ? null : { username: stored.username, ...stored.snapshot }
}

async function withCallback(work: (callback: (error?: unknown) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())))
}
