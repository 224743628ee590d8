import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { ViewRow } from '../../../video-service/report-rows.ts'
import { numberedTexts } from '../../output/rows-database.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { readTime } from '../words.ts'

/**
 * Keeps the segments of a period. Only time inside the period counts. A segment without an end has no `toMs`: it counts
 * until now.
 */
export type SegmentTable = ReturnType<typeof openSegmentTable>

type Segment = Pick<ViewRow, 'viewer_identifier' | 'client_id' | 'content_type' | 'started_at' | 'finished_at'>

const OptionalText = z.string().nullable()
const OlderSegment = z.tuple([OptionalText, OptionalText, z.literal([0, 1]), z.string(), OptionalText])

/**
 * Opens the tables of a database, with the segments that an interrupted report kept. A viewer is a text: `n` and the name
 * at the service, or for a guest `c` and the id of the device.
 */
export function openSegmentTable(database: DatabaseSync, { fromMs, toMs }: TimeRange, nowMs: number) {
  const numberOf = numberedTexts(database, 'seen')
  database.exec(`CREATE TABLE IF NOT EXISTS segment (viewer INTEGER, layer INTEGER, fromMs INTEGER, toMs INTEGER)`)
  const insert = database.prepare('INSERT INTO segment VALUES (?, ?, ?, ?)')
  return {
    /** @throws UnexpectedAnswer for a time that is not in ISO 8601 format. */
    add({ viewer_identifier: name, client_id, content_type, started_at, finished_at }: Segment): void {
      const startMs = readTime(started_at)
      const endMs = Math.max(startMs, finished_at ? readTime(finished_at) : nowMs)
      if (startMs > toMs || endMs < fromMs) return
      const viewer = numberOf(name ? `n${name}` : `c${client_id ?? ''}`)
      const layer = content_type === 'live' ? 0 : 1
      insert.run(viewer, layer, Math.max(startMs, fromMs), finished_at ? Math.min(endMs, toMs) : null)
    },
  }
}

/** Adds the segments of a report that a release up to 0.2.0 began: lines of JSON. */
export function addOlderSegments(database: DatabaseSync, segments: SegmentTable): void {
  const chunks = database.prepare('SELECT chunk FROM text ORDER BY rowid').all()
  const lines = Buffer.concat(chunks.map(({ chunk }) => chunk as Uint8Array)).toString()
  for (const line of lines.split('\n').filter(Boolean)) {
    const [viewer_identifier, client_id, layer, started_at, finished_at] = OlderSegment.parse(JSON.parse(line))
    const content_type = layer === 0 ? 'live' : 'recorded'
    segments.add({ viewer_identifier, client_id, content_type, started_at, finished_at })
  }
  database.exec('DELETE FROM text')
}
