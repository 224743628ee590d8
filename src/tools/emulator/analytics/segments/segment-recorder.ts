import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { describeDevice } from './device.ts'
import { placeOf } from './places.ts'
import type { ContentType, ViewType } from './segment-tables.ts'
import { openSegmentWriter } from './segment-writer.ts'

export interface SegmentStart {
  readonly contentType: ContentType
  readonly contentId: number
  readonly startedAtSeconds: number
  /** Position in the video, in whole seconds; null for live. */
  readonly fromSeconds: number | null
  /** One per browser. */
  readonly clientId: string
  /** One per playing session of a player. */
  readonly viewSessionId: string
  /** The `user` parameter of the validated response; null without one. */
  readonly viewerIdentifier: string | null
  readonly viewType: ViewType
  readonly userAgent: string
  /** The viewer's network address, from which the place is looked up. */
  readonly address: string
}

/** A moment of a running segment, as reported by its player. */
export interface SegmentMoment {
  readonly atSeconds: number
  /** Position in the video, in whole seconds; null for live. */
  readonly positionSeconds: number | null
}

export interface SegmentRecorder {
  /** Returns the id of the new segment (a UUID); null for an unknown channel or video. */
  start(start: SegmentStart): string | null
  /** Records that the player still plays. Returns false if the segment is unknown or finished. */
  heartbeat(segmentId: string, moment: SegmentMoment): boolean
  /** Ends a segment: the player paused, jumped or stopped. Returns false if the segment is unknown or finished. */
  finish(segmentId: string, moment: SegmentMoment): boolean
  /**
   * Finishes segments without a heartbeat for longer than the limit, at the time of their last heartbeat.
   * @returns the number of segments finished.
   */
  finishAbandoned(limits: { nowSeconds: number; silentForSeconds: number }): number
}

/** Records what viewers watch. Each call is one transaction, or part of the caller's transaction. */
export function openSegmentRecorder(database: DatabaseSync): SegmentRecorder {
  const ownerOf = {
    live: database.prepare('SELECT owner_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT owner_id FROM videos WHERE id = ?'),
  }
  const write = openSegmentWriter(database)
  // max(): neither the end nor the last heartbeat is before the start, even if the clock is set back.
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
