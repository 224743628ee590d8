import type { DatabaseSync } from 'node:sqlite'
import type { Request, RequestHandler } from 'express'
import session, { type SessionData, Store } from 'express-session'
import { z } from 'zod'
import { signingKey } from '../signing-key.ts'
import { digest } from '../tokens/token-store.ts'

declare module 'express-session' {
  interface SessionData {
    /** Every stored session has a signed-in user. */
    account?: { userId: number; signedInAtSeconds: number }
  }
}

export const SESSION_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_sessions (
    id_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    data TEXT NOT NULL,
    signed_in_at_seconds INTEGER NOT NULL,
    used_at_seconds INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS oauth_sessions_by_user ON oauth_sessions (user_id);
`

export interface User {
  readonly id: number
  readonly username: string
  /** The `lang` of the sign-up. */
  readonly language: string | null
}

/** Sessions of users on the service's pages; unrelated to tokens and to the login app's sessions. */
export interface AccountSessions {
  readonly middleware: RequestHandler
  signedInUser(req: Request): User | null
  /** Ends the old session and starts a new one under a new id. Only this function signs a user in. */
  signIn(req: Request, userId: number): Promise<void>
  signOut(req: Request): Promise<void>
  /** Returns a digest that identifies the session without revealing its id. */
  fingerprint(req: Request): string
}

interface SessionDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
}

const LIFETIME_SECONDS = 8 * 3_600
const IDLE_SECONDS = 3_600
const Row = z.object({ data: z.string(), signed_in_at_seconds: z.number(), used_at_seconds: z.number() })
const Stored = z.object({
  cookie: z.looseObject({}),
  account: z.object({ userId: z.number(), signedInAtSeconds: z.number() }),
})

/** Stores sessions in the database, by the digest of their id. Only signed-in users get one. */
export function createAccountSessions(deps: SessionDeps): AccountSessions {
  const { database, nowSeconds } = deps
  const middleware = session({
    name: 'emulator-account',
    secret: Buffer.from(signingKey(database, 'session-cookie')).toString('hex'),
    store: openSessionStore(deps),
    resave: false,
    saveUninitialized: false,
    // No Secure and no __Host-: the emulator uses http on loopback, where some browsers reject such cookies.
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: false },
  })
  const findUser = database.prepare('SELECT id, username, language FROM users WHERE id = ?')
  return {
    middleware,
    signedInUser(req) {
      const row = findUser.get(req.session?.account?.userId ?? -1)
      if (row === undefined) return null
      const language = row.language === null ? null : String(row.language)
      return { id: Number(row.id), username: String(row.username), language }
    },
    async signIn(req, userId) {
      await done((callback) => req.session.regenerate(callback))
      req.session.account = { userId, signedInAtSeconds: nowSeconds() }
      await done((callback) => req.session.save(callback))
    },
    signOut: (req) => done((callback) => req.session.destroy(callback)),
    fingerprint: (req) => digest(req.sessionID),
  }
}

/** Ends all sessions of a user, in every browser. */
export function endSessionsOf(database: DatabaseSync, userId: number): void {
  database.prepare('DELETE FROM oauth_sessions WHERE user_id = ?').run(userId)
}

/** Checks both time limits at every read, so that no cookie outlives them (ASVS 7.3.1, 7.3.2). */
function openSessionStore({ database, nowSeconds }: SessionDeps): Store {
  const select = database.prepare(
    'SELECT data, signed_in_at_seconds, used_at_seconds FROM oauth_sessions WHERE id_hash = ?',
  )
  const upsert = database.prepare(
    `INSERT INTO oauth_sessions (id_hash, user_id, data, signed_in_at_seconds, used_at_seconds) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id_hash) DO UPDATE SET data = excluded.data, used_at_seconds = excluded.used_at_seconds`,
  )
  const use = database.prepare('UPDATE oauth_sessions SET used_at_seconds = ? WHERE id_hash = ?')
  const remove = database.prepare('DELETE FROM oauth_sessions WHERE id_hash = ?')
  const prune = database.prepare('DELETE FROM oauth_sessions WHERE signed_in_at_seconds < ? OR used_at_seconds < ?')

  function read(id: string): SessionData | null {
    const found = select.get(digest(id))
    if (found === undefined) return null
    const row = Row.parse(found)
    const now = nowSeconds()
    const isExpired = row.signed_in_at_seconds + LIFETIME_SECONDS <= now || row.used_at_seconds + IDLE_SECONDS <= now
    return isExpired ? null : (Stored.parse(JSON.parse(row.data)) as unknown as SessionData)
  }
  function write(id: string, data: SessionData): void {
    if (data.account === undefined) return
    const now = nowSeconds()
    prune.run(now - LIFETIME_SECONDS, now - IDLE_SECONDS)
    upsert.run(digest(id), data.account.userId, JSON.stringify(data), data.account.signedInAtSeconds, now)
  }
  return Object.assign(Object.create(Store.prototype) as Store, {
    get: (id: string, callback: Callback<SessionData | null>) => answer(() => read(id), callback),
    set: (id: string, data: SessionData, callback?: Callback<void>) => answer(() => write(id, data), callback),
    destroy: (id: string, callback?: Callback<void>) => answer(() => void remove.run(digest(id)), callback),
    touch: (id: string, _data: SessionData, callback?: Callback<void>) =>
      answer(() => void use.run(nowSeconds(), digest(id)), callback),
  })
}

type Callback<T> = (error: unknown, value?: T) => void

function answer<T>(work: () => T, callback?: Callback<T>): void {
  let value: T
  try {
    value = work()
  } catch (error) {
    callback?.(error)
    return
  }
  callback?.(null, value)
}

async function done(work: (callback: (error?: unknown) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())))
}
