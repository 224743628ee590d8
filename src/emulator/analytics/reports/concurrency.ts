/**
 * A sweep over segments in the order in which they start, which tells how many sessions were watching at every moment.
 * Segments of the same session that overlap count once. One that ends at a moment does not overlap one that starts then.
 */
export interface Sweep {
  /**
   * @param session a whole number from 0; best a small one, as memory is taken up to the greatest.
   * @throws RangeError when the segment starts before the one added last.
   */
  add(startSeconds: number, endSeconds: number, session: number): void
  /** Ends what still runs. The sweep is over then. */
  finish(): void
}

/** Is told, in order, each stretch of time in which the same number of sessions, more than 0, was watching. */
type OnStretch = (startSeconds: number, endSeconds: number, watching: number) => void

export function openSweep(onStretch: OnStretch): Sweep {
  const ends = openEndQueue()
  const watchesUntil = openSessionTimes()
  /** Of ends that are none, because the session goes on in an overlapping segment: how many at each moment. */
  const overtaken = new Map<number, number>()
  let at = Number.NEGATIVE_INFINITY
  let watching = 0

  function moveTo(seconds: number): void {
    if (watching > 0 && seconds > at) onStretch(at, seconds, watching)
    at = seconds
  }
  function endUntil(seconds: number): void {
    for (let end = ends.earliest(); end <= seconds; end = ends.earliest()) {
      ends.removeEarliest()
      const wasOvertaken = overtaken.size > 0 ? (overtaken.get(end) ?? 0) : 0
      if (wasOvertaken > 1) overtaken.set(end, wasOvertaken - 1)
      else if (wasOvertaken === 1) overtaken.delete(end)
      else {
        moveTo(end)
        watching -= 1
      }
    }
  }
  return {
    add(startSeconds, endSeconds, session) {
      if (startSeconds < at) throw new RangeError('Segments are swept in the order in which they start')
      if (endSeconds <= startSeconds) return
      endUntil(startSeconds)
      const known = watchesUntil.get(session)
      if (known >= endSeconds) return
      if (known > startSeconds) {
        overtaken.set(known, (overtaken.get(known) ?? 0) + 1)
      } else {
        moveTo(startSeconds)
        watching += 1
      }
      watchesUntil.set(session, endSeconds)
      ends.put(endSeconds)
    },
    finish: () => endUntil(Number.MAX_SAFE_INTEGER),
  }
}

/** A time for each session, minus infinity at first. */
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

interface EndQueue {
  /** Infinity when the queue is empty. */
  earliest(): number
  put(endSeconds: number): void
  removeEarliest(): void
}

/** A binary heap: the earliest end is at the front, and each place's two followers are at twice its number and beyond. */
function openEndQueue(): EndQueue {
  const ends: number[] = []
  const endAt = (place: number) => (place < ends.length ? (ends[place] ?? 0) : Number.POSITIVE_INFINITY)
  return {
    earliest: () => endAt(0),
    put(endSeconds) {
      let place = ends.length
      while (place > 0) {
        const above = (place - 1) >> 1
        const endAbove = endAt(above)
        if (endAbove <= endSeconds) break
        ends[place] = endAbove
        place = above
      }
      ends[place] = endSeconds
    },
    removeEarliest() {
      const endSeconds = ends.pop()
      if (endSeconds === undefined || ends.length === 0) return
      let place = 0
      for (;;) {
        const left = 2 * place + 1
        const [endLeft, endRight] = [endAt(left), endAt(left + 1)]
        const smaller = Math.min(endLeft, endRight)
        if (smaller >= endSeconds) break
        ends[place] = smaller
        place = endRight < endLeft ? left + 1 : left
      }
      ends[place] = endSeconds
    },
  }
}
