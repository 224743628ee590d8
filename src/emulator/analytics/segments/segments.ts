import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import { describeDevice } from './device.ts'
import { placeOf } from './places.ts'
import { openSegmentWriter } from './segment-writer.ts'

/**
 * A segment is one stretch of a channel or video that was watched without a break. What many segments share (who, on
 * what, where) is kept once and pointed to by number, so that a report over a million segments compares numbers only.
 * Times are UNIX seconds. `finished_at` is null while the segment runs; `last_heard_at` is when the player last said that
 * it still plays, null for a segment that no player will speak for (a generated one).
 */
export const SEGMENT_TABLES = `
  CREATE TABLE IF NOT EXISTS segment_viewers (
    id INTEGER PRIMARY KEY,
    viewer_identifier TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_clients (
    id INTEGER PRIMARY KEY,
    client_id TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_view_sessions (
    id INTEGER PRIMARY KEY,
    view_session_id TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_places (
    id INTEGER PRIMARY KEY,
    country TEXT NOT NULL,
    city TEXT NOT NULL,
    UNIQUE (country, city)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_devices (
    id INTEGER PRIMARY KEY,
    info TEXT NOT NULL,
    family TEXT NOT NULL,
    is_mobile INTEGER NOT NULL,
    UNIQUE (info, is_mobile)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segments (
    id INTEGER PRIMARY KEY,
    segment_id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
    content_id INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER CHECK (finished_at >= started_at),
    last_heard_at INTEGER,
    from_position INTEGER,
    to_position INTEGER,
    view_type TEXT NOT NULL CHECK (view_type IN ('onsite', 'offsite')),
    viewer INTEGER REFERENCES segment_viewers (id),
    client INTEGER NOT NULL REFERENCES segment_clients (id),
    view_session INTEGER NOT NULL REFERENCES segment_view_sessions (id),
    place INTEGER NOT NULL REFERENCES segment_places (id),
    device INTEGER NOT NULL REFERENCES segment_devices (id)
  ) STRICT;
  -- Each report reads only one of these, whole rows of it, and of the table only the rows that it shows.
  CREATE INDEX IF NOT EXISTS segments_by_start ON segments
    (owner_id, started_at, id, finished_at, content_type, content_id, viewer, client, place, device, view_type);
  CREATE INDEX IF NOT EXISTS segments_by_viewer ON segments
    (owner_id, viewer, started_at, id, finished_at, content_type, content_id) WHERE viewer IS NOT NULL;
  CREATE INDEX IF NOT EXISTS segments_by_content ON segments
    (owner_id, content_type, content_id, started_at, finished_at, view_session);
  CREATE INDEX IF NOT EXISTS segments_running ON segments (last_heard_at) WHERE finished_at IS NULL;
`

export type ContentType = 'live' | 'recorded'
export type ViewType = 'onsite' | 'offsite'

export interface SegmentStart {
  readonly contentType: ContentType
  readonly contentId: number
  readonly startedAtSeconds: number
  /** Where in the video playing began, in whole seconds; null for live. */
  readonly fromSeconds: number | null
  /** One per browser. */
  readonly clientId: string
  /** One per playing session of a player. */
  readonly viewSessionId: string
  /** The `user` parameter of the validated response; null for someone who watches without one. */
  readonly viewerIdentifier: string | null
  readonly viewType: ViewType
  readonly userAgent: string
  /** The viewer's network address; the place is looked up in the table of demo addresses. */
  readonly address: string
}

/** A moment of a running segment, as its player reports it. */
export interface SegmentMoment {
  readonly atSeconds: number
  /** Where in the video the player is, in whole seconds; null for live. */
  readonly positionSeconds: number | null
}

export interface SegmentRecorder {
  /** The id of the new segment (a UUID), which runs until it is finished; null when there is no such channel or video. */
  start(start: SegmentStart): string | null
  /** The player still plays. False when the segment is unknown or already finished. */
  heartbeat(segmentId: string, moment: SegmentMoment): boolean
  /** The player paused, moved elsewhere in the video, or ended. False when the segment is unknown or already finished. */
  finish(segmentId: string, moment: SegmentMoment): boolean
  /**
   * Finishes, at the time each was last heard of, the segments whose player has been silent for longer than this: its
   * browser crashed or lost its network.
   * @returns how many.
   */
  finishAbandoned(limits: { nowSeconds: number; silentForSeconds: number }): number
}

/** Records what viewers watch. Each call is one transaction, or part of the caller's. */
export function openSegmentRecorder(database: DatabaseSync): SegmentRecorder {
  const ownerOf = {
    live: database.prepare('SELECT owner_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT owner_id FROM videos WHERE id = ?'),
  }
  const write = openSegmentWriter(database)
  // A player's clock never runs the segment backwards: neither its end nor its last sign of life is before its start.
  const heartbeat = database.prepare(
    `UPDATE segments SET last_heard_at = max(started_at, :at), to_position = coalesce(:position, to_position)
     WHERE segment_id = :id AND finished_at IS NULL`,
  )
  const finish = database.prepare(
    `UPDATE segments SET finished_at = max(started_at, :at), to_position = coalesce(:position, to_position)
     WHERE segment_id = :id AND finished_at IS NULL`,
  )
  const finishAbandoned = database.prepare(
    'UPDATE segments SET finished_at = last_heard_at WHERE finished_at IS NULL AND last_heard_at < ?',
  )
  const moment = (id: string, { atSeconds, positionSeconds }: SegmentMoment) => ({
    id,
    at: atSeconds,
    position: positionSeconds,
  })
  return {
    start(start) {
      const owner = ownerOf[start.contentType].get(start.contentId)
      if (owner === undefined) return null
      const segmentId = randomUUID()
      const { info, isMobile } = describeDevice(start.userAgent)
      inTransaction(database, () =>
        write({
          ...start,
          segmentId,
          ownerId: Number(owner.owner_id),
          finishedAtSeconds: null,
          lastHeardAtSeconds: start.startedAtSeconds,
          toSeconds: start.fromSeconds,
          deviceInfo: info,
          isMobile,
          ...placeOf(start.address),
        }),
      )
      return segmentId
    },
    heartbeat: (id, at) => heartbeat.run(moment(id, at)).changes === 1,
    finish: (id, at) => finish.run(moment(id, at)).changes === 1,
    finishAbandoned: ({ nowSeconds, silentForSeconds }) =>
      Number(finishAbandoned.run(nowSeconds - silentForSeconds).changes),
  }
}
