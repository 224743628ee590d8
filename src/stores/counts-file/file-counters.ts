import type { DatabaseSync } from 'node:sqlite'
import { RateLimiterRes } from 'rate-limiter-flexible'
import { boundWait, type OpenCounter } from '../../sign-in-limits/memory-counters.ts'

/** As in memory. An attacker chooses the names in the keys, so without a limit a day of guessing would fill the disk. */
const MOST_KEYS = 100_000

/** Counts in a database. Evicts the least recently increased keys first. */
export function countersIn(database: DatabaseSync): OpenCounter {
  return (name, durationSeconds, mostKeys = MOST_KEYS) => {
    const table = JSON.stringify(name)
    // `number` orders the keys by their last increment.
    database.exec(`CREATE TABLE IF NOT EXISTS ${table} (
      number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, points INTEGER NOT NULL, ends_at_ms INTEGER NOT NULL) STRICT`)
    const select = database.prepare(`SELECT points, ends_at_ms FROM ${table} WHERE key = ? AND ends_at_ms > ?`)
    const add = database.prepare(`INSERT INTO ${table} (key, points, ends_at_ms) VALUES (?1, ?2, ?3 + ?4)
      ON CONFLICT (key) DO UPDATE SET number = (SELECT max(number) + 1 FROM ${table}),
        points = iif(ends_at_ms > ?3, points + ?2, ?2), ends_at_ms = iif(ends_at_ms > ?3, ends_at_ms, ?3 + ?4)
      RETURNING points, ends_at_ms`)
    const remove = database.prepare(`DELETE FROM ${table} WHERE key = ? RETURNING points, ends_at_ms`)
    const prune = database.prepare(`DELETE FROM ${table} WHERE ends_at_ms <= ?
      OR number <= (SELECT number FROM ${table} ORDER BY number DESC LIMIT 1 OFFSET ?)`)
    let increments = 0
    const countOf = (row: Record<string, unknown> | undefined, longestSeconds = durationSeconds) => {
      const points = Number(row?.points)
      const msLeft = Number(row?.ends_at_ms) - Date.now()
      return boundWait(new RateLimiterRes(Number.MAX_SAFE_INTEGER - points, msLeft, points), longestSeconds)
    }
    function increase(key: string | number, points: number, forSeconds: number): RateLimiterRes {
      const count = countOf(add.get(String(key), points, Date.now(), forSeconds * 1000), forSeconds)
      if (increments % Math.ceil(mostKeys / 100) === 0) prune.run(Date.now(), mostKeys)
      increments += 1
      return count
    }
    const removed = (key: string | number): number => {
      const row = remove.get(String(key))
      return row !== undefined && Number(row.ends_at_ms) > Date.now() ? Number(row.points) : 0
    }
    // Each step is done before any other request continues.
    return {
      get: (key) =>
        Promise.try(() => {
          const row = select.get(String(key), Date.now())
          return row === undefined ? null : countOf(row)
        }),
      set: (key, points, forSeconds) =>
        Promise.try(() => {
          remove.get(String(key))
          return increase(key, points, forSeconds)
        }),
      penalty: (key, points = 1, { customDuration = durationSeconds } = {}) =>
        Promise.try(() => increase(key, points, customDuration)),
      delete: (key) => Promise.try(() => removed(key) > 0),
      giveBack: (key, points) =>
        Promise.try(() => {
          const row = select.get(String(key), Date.now())
          if (row !== undefined && Number(row.points) > points) increase(key, -points, durationSeconds)
          else remove.get(String(key))
        }),
      take: (key) => Promise.try(() => removed(key)),
    }
  }
}
