import type { Request, Response } from 'express'
import session from 'express-session'
import type { Logger } from 'pino'
import type { UserStore, Viewer } from '../users/user-store.ts'
import type { SessionLimits } from './session-store.ts'

export interface SessionDeps {
  readonly store: session.Store
  /** The first signs; all are accepted. */
  readonly secrets: readonly string[]
  readonly limits: SessionLimits
  /** Whether PUBLIC_URL is https; else it is a loopback address. */
  readonly isTls: boolean
  readonly users: Pick<UserStore, 'find'>
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Sessions are a comfort: the login works without them, in browsers that keep no cookie of ours. */
export interface Sessions {
  /**
   * The signed-in viewer as the user store knows them now, with the id of the session; null when there is none.
   * A session store that fails means null: the viewer signs in.
   * @throws UpstreamError when the user store cannot be reached: nobody passes unchecked.
   */
  returningViewer(req: Request, res: Response): Promise<{ viewer: Viewer; sessionId: string } | null>
  /**
   * The one door into a session, after a right password: a new id, the old session ended. Returns the id; null when
   * the session store failed, and the viewer goes on without.
   */
  start(req: Request, res: Response, viewer: Viewer): Promise<string | null>
  /** Ends the session on the server and takes the cookie back. */
  end(req: Request, res: Response): Promise<void>
}

export function createSessions(deps: SessionDeps): Sessions {
  const { users, limits, nowSeconds, log, isTls } = deps
  const name = isTls ? '__Host-viewer' : 'viewer'
  const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const
  const middleware = session({
    name,
    secret: [...deps.secrets],
    store: deps.store,
    resave: false,
    saveUninitialized: false,
    cookie: { ...attributes, maxAge: limits.lifetimeSeconds * 1000 },
  })
  const cookieMark = `${name}=`

  const cannotTouch = (error?: unknown) => {
    if (error) log.warn({ err: error }, 'The session store failed: the use of a session was not written down')
  }

  async function load(req: Request, res: ResponseHooks): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      middleware(req, res as Response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
    })
  }
  async function returningViewer(req: Request, res: Response) {
    if (!req.headers.cookie?.includes(cookieMark)) return null
    try {
      await load(req, unsentResponse())
    } catch (error) {
      log.warn({ err: error }, 'The session store failed: a returning viewer has to sign in')
      return null
    }
    const kept = req.session?.viewer
    if (kept === undefined) return null
    deps.store.touch?.(req.sessionID, req.session, cannotTouch)
    const isOver = kept.signedInAtSeconds + limits.lifetimeSeconds <= nowSeconds()
    const viewer = isOver ? null : await lookUp(users, kept)
    if (viewer !== null) return { viewer, sessionId: req.sessionID }
    log.info({ event: 'session-ended', viewer: kept.username, reason: isOver ? 'too old' : 'viewer gone or disabled' })
    await end(req, res)
    return null
  }
  async function start(req: Request, res: Response, viewer: Viewer): Promise<string | null> {
    const { username, groups, attributes: free } = viewer
    const snapshot = users.find === undefined ? { snapshot: { groups, attributes: free } } : {}
    try {
      await load(req, res)
      await done((callback) => req.session.regenerate(callback))
      req.session.viewer = { username, signedInAtSeconds: Math.floor(nowSeconds()), ...snapshot }
      await done((callback) => req.session.save(callback))
      return req.sessionID
    } catch (error) {
      log.warn({ err: error }, 'The session store failed: a viewer signed in without a session')
      Reflect.deleteProperty(req, 'session')
      return null
    }
  }
  async function end(req: Request, res: Response): Promise<void> {
    if (!req.headers.cookie?.includes(cookieMark)) return
    if (req.session === undefined) await load(req, res)
    await done((callback) => req.session.destroy(callback))
    res.clearCookie(name, attributes)
  }
  return { returningViewer, start, end }
}

type ResponseHooks = Pick<Response, 'writeHead' | 'end'>

/**
 * For a session that is only read. express-session hooks itself into the response, to save at its end what was changed
 * and to set the cookie again: of one that is never sent this costs nothing.
 */
function unsentResponse(): ResponseHooks {
  return { writeHead: unsent, end: unsent }
}

function unsent(): never {
  throw new Error('This response is never sent')
}

async function lookUp(
  users: Pick<UserStore, 'find'>,
  kept: NonNullable<session.SessionData['viewer']>,
): Promise<Viewer | null> {
  if (users.find !== undefined) return await users.find(kept.username)
  return kept.snapshot === undefined ? null : { username: kept.username, ...kept.snapshot }
}

async function done(work: (callback: (error?: unknown) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())))
}
