import type { ViewRow } from '../../../video-service/report-rows.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { readTime } from '../words.ts'
import { createWatchTimes, type WatchTimes } from './watch-times.ts'

/** What attendance needs of a view. */
export type Segment = Pick<ViewRow, 'viewer_identifier' | 'client_id' | 'content_type' | 'started_at' | 'finished_at'>

/** A name of the service, or a device without a name. */
export interface SeenViewer {
  readonly name: string | null
  readonly clientId: string | null
}

/** The segments of a period, by viewer. */
export interface CollectedSegments {
  /** The number of a viewer is the place in this list. */
  readonly viewers: readonly SeenViewer[]
  readonly times: WatchTimes
  /** The viewers with a segment without an end. */
  readonly running: ReadonlySet<number>
  /** @throws UnexpectedAnswer for a time that is not in ISO 8601 format. */
  add(segment: Segment): void
}

/** Collects segments in any order. Only time inside the period counts, and a segment without an end counts until now. */
export function collectSegments(range: TimeRange, nowMs: number): CollectedSegments {
  const viewers: SeenViewer[] = []
  const [byName, byClient] = [new Map<string, number>(), new Map<string | null, number>()]
  const times = createWatchTimes()
  const running = new Set<number>()

  function numberOf<Key>(known: Map<Key, number>, key: Key, viewer: () => SeenViewer): number {
    const number = known.get(key) ?? viewers.length
    if (number === viewers.length) {
      viewers.push(viewer())
      known.set(key, number)
    }
    return number
  }
  return {
    viewers,
    times,
    running,
    add({ viewer_identifier: name, client_id: clientId, content_type: type, started_at, finished_at }) {
      const startMs = readTime(started_at)
      const endMs = finished_at ? Math.max(startMs, readTime(finished_at)) : Math.max(startMs, nowMs)
      if (startMs > range.toMs || endMs < range.fromMs) return
      const viewer = name
        ? numberOf(byName, name, () => ({ name, clientId: null }))
        : numberOf(byClient, clientId, () => ({ name: null, clientId }))
      if (!finished_at) running.add(viewer)
      const inside = { fromMs: Math.max(startMs, range.fromMs), toMs: Math.min(endMs, range.toMs) }
      times.add(viewer, type === 'live' ? 0 : 1, inside)
    },
  }
}

/** Returns a line of the part of an interrupted report. */
export function segmentLine(segment: Segment): string {
  const { viewer_identifier: name, client_id, content_type, started_at, finished_at } = segment
  const client = name ? null : client_id
  return `${JSON.stringify([name || null, client, content_type === 'live' ? 0 : 1, started_at, finished_at ?? null])}\n`
}

/** Reads a line that segmentLine() wrote. */
export function readSegmentLine(line: string): Segment {
  const [viewer_identifier, client_id, layer, started_at, finished_at] = JSON.parse(line) as [
    ...[name: string | null, client: string | null, layer: 0 | 1, start: string, end: string | null],
  ]
  return { viewer_identifier, client_id, content_type: layer === 0 ? 'live' : 'recorded', started_at, finished_at }
}
