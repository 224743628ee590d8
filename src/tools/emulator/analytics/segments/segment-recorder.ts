import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { describeDevice } from './device.ts'
import { placeOf } from './places.ts'
import { openSegmentWriter, type StoredSegment } from './segment-writer.ts'

/** The start of a segment. `viewerIdentifier` is the `user` parameter of the validated response; null without one. */
export interface SegmentStart
  extends Pick<
    StoredSegment,
    | 'contentType'
    | 'contentId'
    | 'startedAtSeconds'
    | 'fromSeconds'
    | 'clientId'
    | 'viewSessionId'
    | 'viewerIdentifier'
    | 'viewType'
  > {
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

/** Records what viewers watch. Each call is one transaction, or part of the caller's transaction. */
export type SegmentRecorder = ReturnType<typeof openSegmentRecorder>

export function openSegmentRecorder(database: DatabaseSync) {
  const ownerOf = {
    live: database.prepare('SELECT owner_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT owner_id FROM videos WHERE id = ?'),
  }
  const write = openSegmentWriter(database)
  const abandoned = database.prepare(
    'UPDATE watched_segments SET finished_at = last_heard_at WHERE finished_at IS NULL AND last_heard_at < ?',
  )
  function openUpdate(column: 'last_heard_at' | 'finished_at') {
    // max(): neither the end nor the last heartbeat is before the start, even if the clock is set back.
    const update = database.prepare(
      `UPDATE watched_segments SET ${column} = max(started_at, ?), to_position = coalesce(?, to_position)
       WHERE segment_id = ? AND finished_at IS NULL`,
    )
    return (segmentId: string, { atSeconds, positionSeconds }: SegmentMoment) =>
      update.run(atSeconds, positionSeconds, segmentId).changes === 1
  }
  return {
    /** Returns the id of the new segment (a UUID); null for an unknown channel or video. */
    start({ userAgent, address, ...start }: SegmentStart): string | null {
      const owner = ownerOf[start.contentType].get(start.contentId)
      if (owner === undefined) return null
      const segmentId = randomUUID()
      const { info, isMobile } = describeDevice(userAgent)
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
          ...placeOf(address),
        }),
      )
      return segmentId
    },
    /** Records that the player still plays. Returns false if the segment is unknown or finished. */
    heartbeat: openUpdate('last_heard_at'),
    /** Ends a segment: the player paused, jumped or stopped. Returns false if the segment is unknown or finished. */
    finish: openUpdate('finished_at'),
    /**
     * Finishes segments without a heartbeat for longer than the limit, at the time of their last heartbeat.
     * @returns the number of segments finished.
     */
    finishAbandoned: ({ nowSeconds, silentForSeconds }: { nowSeconds: number; silentForSeconds: number }) =>
      Number(abandoned.run(nowSeconds - silentForSeconds).changes),
  }
}
