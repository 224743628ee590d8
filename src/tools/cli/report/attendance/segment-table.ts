import type { DatabaseSync } from 'node:sqlite'
import type { ViewRow } from '../../../video-service/report-rows.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { readTime } from '../words.ts'

/**
 * Keeps the segments of a period. Only time inside the period counts. A segment without an end has no `toMs`: it counts
 * until now.
 */
export interface SegmentTable {
  /** @throws UnexpectedAnswer for a time that is not in ISO 8601 format. */
  add(view: ViewRow): void
}

/** Opens the table of a database, with the segments that an interrupted report kept. */
export function openSegmentTable(database: DatabaseSync, { fromMs, toMs }: TimeRange, nowMs: number): SegmentTable {
  database.exec(`CREATE TABLE IF NOT EXISTS segment
    (name TEXT, client TEXT, layer INTEGER, fromMs INTEGER, toMs INTEGER)`)
  const insert = database.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?)')
  return {
    add({ viewer_identifier, client_id, content_type, started_at, finished_at }) {
      const startMs = readTime(started_at)
      const endMs = Math.max(startMs, finished_at ? readTime(finished_at) : nowMs)
      if (startMs > toMs || endMs < fromMs) return
      const name = viewer_identifier || null
      const end = finished_at ? Math.min(endMs, toMs) : null
      insert.run(
        name,
        name === null ? client_id : null,
        content_type === 'live' ? 0 : 1,
        Math.max(startMs, fromMs),
        end,
      )
    },
  }
}
