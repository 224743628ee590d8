import type { DatabaseSync } from 'node:sqlite'
import type { ViewRow } from '../../../video-service/analytics/report-rows.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { readTime } from '../words.ts'

/**
 * Keeps the segments of a period. Only time inside the period counts. A segment without an end has no `toMs`: it counts
 * until now.
 */
export type SegmentTable = ReturnType<typeof openSegmentTable>

type Segment = Pick<ViewRow, 'viewer_identifier' | 'client_id' | 'content_type' | 'started_at' | 'finished_at'>

/**
 * Opens the table of a database, with the segments that an interrupted report kept. A viewer is the name at the service, or
 * for a guest the id of the device.
 */
export function openSegmentTable(database: DatabaseSync, { fromMs, toMs }: TimeRange, nowMs: number) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS segment (name TEXT, client TEXT, layer INTEGER, fromMs INTEGER, toMs INTEGER)',
  )
  const insert = database.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?)')
  return {
    /** @throws UnexpectedAnswer for a time that is not in ISO 8601 format. */
    add({ viewer_identifier: name, client_id, content_type, started_at, finished_at }: Segment): void {
      const startMs = readTime(started_at)
      const endMs = Math.max(startMs, finished_at ? readTime(finished_at) : nowMs)
      if (startMs > toMs || endMs < fromMs) return
      const client = name ? null : client_id || null
      const layer = content_type === 'live' ? 0 : 1
      insert.run(name || null, client, layer, Math.max(startMs, fromMs), finished_at ? Math.min(endMs, toMs) : null)
    },
  }
}
