import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Request, Response } from 'express'
import { digest } from '../tokens/token-store.ts'

export interface User {
  readonly id: number
  readonly username: string
  /** The `lang` of the sign-up. */
  readonly language: string | null
}

/** Sessions of users on the service's pages; unrelated to tokens and to the login app's sessions. */
export type AccountSessions = ReturnType<typeof createAccountSessions>

const COOKIE = 'emulator-account'
const LIFETIME_SECONDS = 8 * 3_600

/** Stores sessions in the database, by the digest of their id. Only signed-in users get one. */
export function createAccountSessions(database: DatabaseSync, nowSeconds: () => number) {
  const find = database.prepare(
    `SELECT users.id, username, language FROM oauth_sessions JOIN users ON users.id = user_id
     WHERE id_hash = ? AND signed_in_at_seconds > ?`,
  )
  const insert = database.prepare(`INSERT INTO oauth_sessions VALUES (?, ?, '{}', ?, ?)`)
  const remove = database.prepare('DELETE FROM oauth_sessions WHERE id_hash = ?')
  const fingerprint = (req: Request) => digest(sessionIdIn(req))
  return {
    signedInUser(req: Request): User | null {
      const row = find.get(fingerprint(req), nowSeconds() - LIFETIME_SECONDS)
      if (row === undefined) return null
      const language = row.language === null ? null : String(row.language)
      return { id: Number(row.id), username: String(row.username), language }
    },
    /** Ends the old session and starts a new one under a new id. Only this function signs a user in. */
    signIn(req: Request, res: Response, userId: number): void {
      const now = nowSeconds()
      remove.run(fingerprint(req))
      const id = randomBytes(32).toString('base64url')
      insert.run(digest(id), userId, now, now)
      // No Secure and no __Host-: the emulator uses http on loopback, where some browsers reject such cookies.
      res.cookie(COOKIE, id, { path: '/', httpOnly: true, sameSite: 'lax' })
    },
    signOut: (req: Request) => void remove.run(fingerprint(req)),
  }
}

/** Ends all sessions of a user, in every browser. */
export function endSessionsOf(database: DatabaseSync, userId: number): void {
  database.prepare('DELETE FROM oauth_sessions WHERE user_id = ?').run(userId)
}

/** Returns the session id of the cookie. Empty without one. */
function sessionIdIn({ headers }: Request): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? ''
}
