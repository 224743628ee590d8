import { readActivitySettings, readSharedStores } from '../../../../config.ts'
import { ConfigError, isOutage } from '../../../../errors.ts'
import { endOfSession } from '../../../../sessions/session-store.ts'
import { visitSessions } from '../../../../stores/who-is-in/all-sessions.ts'
import { stores } from '../../../../stores.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** Reading all sessions takes at most this part of the time. */
const SESSIONS_SHARE = 0.02
const SESSIONS_FRESH_MS = 10_000

/** Viewers with a session, and their sessions, in all copies. */
export interface SessionCount {
  readonly viewers: number
  readonly sessions: number
}

/** Counts the sessions that are not over. Null while the store does not answer. */
export function sessionCounter(env: CommandIo['env'], nowMs: () => number) {
  let known: SessionCount | null = null
  let untilMs = 0
  async function count(): Promise<void> {
    const startedMs = performance.now()
    const limits = readActivitySettings(env)
    const now = nowMs() / 1000
    const names = new Set<string>()
    let sessions = 0
    try {
      const store = await stores.sessions(readSharedStores(env).sessionStore)
      await visitSessions(store, (session) => {
        if (endOfSession(session, limits) <= now) return
        names.add(usernameKey(session.username))
        sessions += 1
      })
      known = { viewers: names.size, sessions }
    } catch (error) {
      if (!(error instanceof ConfigError) && !isOutage(error)) throw error
      known = null
    }
    untilMs = nowMs() + Math.max(SESSIONS_FRESH_MS, (performance.now() - startedMs) / SESSIONS_SHARE)
  }
  return async () => {
    if (nowMs() >= untilMs) await count()
    return known
  }
}
