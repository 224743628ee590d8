import type { TimeRange } from '../../output/time-range.ts'

/** The time that somebody watched. Parallel devices count once. */
export interface Watched {
  readonly liveMs: number
  readonly recordedMs: number
  /** Less than the sum, if a channel and a video ran at the same time. */
  readonly ms: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Collects the segments of many viewers in 20 bytes each. */
export interface WatchTimes {
  /** @param viewer a number from 0 on. @param layer 0 for live, 1 for recorded. */
  add(viewer: number, layer: 0 | 1, segment: TimeRange): void
  /**
   * Adds up the times of each person.
   * @param personOf the person of each viewer. Several viewers can be one person.
   * @returns null for a person without segments.
   */
  ofPeople(personOf: readonly number[], people: number): (person: number) => Watched | null
}

const FIRST_ROOM = 4_096

export function createWatchTimes(): WatchTimes {
  let viewers = new Uint32Array(FIRST_ROOM)
  let from = new Float64Array(FIRST_ROOM)
  let to = new Float64Array(FIRST_ROOM)
  let count = 0

  function grow(): void {
    const enlarged = <T extends Uint32Array | Float64Array>(old: T, larger: T): T => {
      larger.set(old)
      return larger
    }
    viewers = enlarged(viewers, new Uint32Array(2 * count))
    from = enlarged(from, new Float64Array(2 * count))
    to = enlarged(to, new Float64Array(2 * count))
  }
  /** Adds up segments in the order of their start. */
  function union(segments: Uint32Array, layer: 0 | 1 | null): number {
    let [sum, endMs] = [0, Number.NEGATIVE_INFINITY]
    for (const segment of segments) {
      if (layer !== null && ((viewers[segment] ?? 0) & 1) !== layer) continue
      const toMs = to[segment] ?? 0
      if (toMs > endMs) {
        sum += toMs - Math.max(from[segment] ?? 0, endMs)
        endMs = toMs
      }
    }
    return sum
  }
  return {
    add(viewer, layer, { fromMs, toMs }) {
      if (count === viewers.length) grow()
      viewers[count] = viewer * 2 + layer
      from[count] = fromMs
      to[count] = toMs
      count += 1
    },
    ofPeople(personOf, people) {
      const personAt = (segment: number) => personOf[(viewers[segment] ?? 0) >>> 1] ?? 0
      const { starts, order } = sortedByPerson(count, people, personAt)
      return (person) => {
        const segments = order.subarray(starts[person], starts[person + 1])
        const [first] = segments.sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0))
        if (first === undefined) return null
        const lastMs = segments.reduce((latest, segment) => Math.max(latest, to[segment] ?? 0), 0)
        const [liveMs, recordedMs, ms] = [union(segments, 0), union(segments, 1), union(segments, null)]
        return { liveMs, recordedMs, ms, firstMs: from[first] ?? 0, lastMs }
      }
    },
  }
}

/** Sorts segments by counting. The segments of a person are those of `order` from `starts[person]` on. */
function sortedByPerson(
  count: number,
  people: number,
  personAt: (segment: number) => number,
): { starts: Uint32Array; order: Uint32Array } {
  const starts = new Uint32Array(people + 1)
  for (let segment = 0; segment < count; segment += 1) {
    const next = personAt(segment) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let person = 1; person <= people; person += 1) starts[person] = (starts[person] ?? 0) + (starts[person - 1] ?? 0)
  const places = starts.slice()
  const order = new Uint32Array(count)
  for (let segment = 0; segment < count; segment += 1) {
    const person = personAt(segment)
    const place = places[person] ?? 0
    order[place] = segment
    places[person] = place + 1
  }
  return { starts, order }
}
