import TinyQueue from 'tinyqueue'

/** Counts concurrent sessions in a sweep over segments, in the order of their start. */
export interface Sweep {
  /**
   * Overlapping segments of one session count once. A segment does not overlap a segment that starts at its end.
   * @param session a whole number from 0. Memory grows with the greatest number.
   * @throws RangeError if the segment starts before the last added segment.
   */
  add(startSeconds: number, endSeconds: number, session: number): void
  /** Ends all running segments. The sweep is over. */
  finish(): void
}

/** Called in order of time, for each stretch with a constant number of sessions above 0. */
type OnStretch = (startSeconds: number, endSeconds: number, sessions: number) => void

export function openSweep(onStretch: OnStretch): Sweep {
  const ends = new TinyQueue<number>()
  const endOfSession = openSessionTimes()
  /** Queued ends that do not end a session, because a later segment of the session overlaps: their number by time. */
  const extendedEnds = new Map<number, number>()
  let at = Number.NEGATIVE_INFINITY
  let sessions = 0

  function moveTo(seconds: number): void {
    if (sessions > 0 && seconds > at) onStretch(at, seconds, sessions)
    at = seconds
  }
  function endUntil(seconds: number): void {
    for (let end = ends.peek(); end !== undefined && end <= seconds; end = ends.peek()) {
      ends.pop()
      const extended = extendedEnds.size > 0 ? (extendedEnds.get(end) ?? 0) : 0
      if (extended > 1) extendedEnds.set(end, extended - 1)
      else if (extended === 1) extendedEnds.delete(end)
      else {
        moveTo(end)
        sessions -= 1
      }
    }
  }
  return {
    add(startSeconds, endSeconds, session) {
      if (startSeconds < at) throw new RangeError('Segments must be added in the order of their start')
      if (endSeconds <= startSeconds) return
      endUntil(startSeconds)
      const knownEnd = endOfSession.get(session)
      if (knownEnd >= endSeconds) return
      if (knownEnd > startSeconds) {
        extendedEnds.set(knownEnd, (extendedEnds.get(knownEnd) ?? 0) + 1)
      } else {
        moveTo(startSeconds)
        sessions += 1
      }
      endOfSession.set(session, endSeconds)
      ends.push(endSeconds)
    },
    finish: () => endUntil(Number.MAX_SAFE_INTEGER),
  }
}

/** Keeps a time for each session, at first minus infinity. A typed array is faster than a Map. */
function openSessionTimes(): { get(session: number): number; set(session: number, seconds: number): void } {
  let times = new Float64Array(1_024).fill(Number.NEGATIVE_INFINITY)
  return {
    get: (session) => times[session] ?? Number.NEGATIVE_INFINITY,
    set(session, seconds) {
      if (session >= times.length) {
        const longer = new Float64Array(Math.max(session + 1, times.length * 2)).fill(Number.NEGATIVE_INFINITY)
        longer.set(times)
        times = longer
      }
      times[session] = seconds
    },
  }
}
