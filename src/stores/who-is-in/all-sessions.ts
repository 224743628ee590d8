import { setImmediate } from 'node:timers/promises'
import { ConfigError } from '../../errors.ts'
import { withSessionFile } from '../../sessions/session-file.ts'
import { parseSession, type ShownSession } from '../../sessions/session-store.ts'
import type { StoredSessions } from '../store-kind.ts'

/** A session with its viewer. */
export interface NamedSession extends ShownSession {
  readonly username: string
}

/** Stored sessions, which most stores can visit one by one. */
export interface VisitedSessions {
  /**
   * Visits the sessions of all viewers in any order, also ones that are over. Keeps none in memory, because there may be
   * hundreds of thousands. Leaves out a session that this version cannot read. Absent in a store that cannot list them.
   */
  visitAll?(visit: (session: NamedSession) => void): Promise<void>
}

/** Visits the sessions of all viewers, as `visitAll`. @throws ConfigError if the store cannot list them. */
export async function visitSessions(
  stored: StoredSessions & VisitedSessions,
  visit: (session: NamedSession) => void,
): Promise<void> {
  if (!stored.visitAll) throw new ConfigError('The store of SESSION_STORE_URL cannot list the sessions of all viewers.')
  await stored.visitAll(visit)
}

/**
 * Returns what a command may show of a stored session. Null if this version cannot read the session.
 * @param usedAt UNIX time in seconds, if it is not in the session.
 */
export function namedSession(json: string, usedAt?: number): NamedSession | null {
  const session = parseSession(json)
  const usedAtSeconds = session?.usedAtSeconds ?? usedAt
  if (session === null || usedAtSeconds === undefined) return null
  const { username, signedInAtSeconds, identity: provider = null } = session.viewer
  return { username, provider, signedInAtSeconds, usedAtSeconds }
}

/** A batch takes a few milliseconds. A program with other requests answers them between two batches. */
const BATCH = 500

/** Visits the sessions in a file. @throws ConfigError if the file cannot be used. */
export async function visitFile(file: string, visit: (session: NamedSession) => void): Promise<void> {
  for (let last: string | null = ''; last !== null; await setImmediate()) {
    const after: string = last
    last = withSessionFile(file, null, (database) => {
      const select = 'SELECT id, data, used_at FROM sessions WHERE id > ? ORDER BY id LIMIT ?'
      const rows = database.prepare(select).all(after, BATCH)
      for (const row of rows) {
        const session = namedSession(String(row.data), Number(row.used_at))
        if (session !== null) visit(session)
      }
      return rows.length < BATCH ? null : String(rows.at(-1)?.id)
    })
  }
}
