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

/** Room for segments is added in such steps: to copy all into a larger place would need both at once. */
const BLOCK = 65_536

interface Block {
  /** Twice the viewer, and the layer. */
  readonly viewers: Uint32Array
  readonly from: Float64Array
  readonly to: Float64Array
}

const newBlock = (): Block => ({
  viewers: new Uint32Array(BLOCK),
  from: new Float64Array(BLOCK),
  to: new Float64Array(BLOCK),
})

export function createWatchTimes(): WatchTimes {
  const blocks: Block[] = []
  let count = 0
  const viewerAt = (segment: number) => blocks[Math.floor(segment / BLOCK)]?.viewers[segment % BLOCK] ?? 0
  const fromAt = (segment: number) => blocks[Math.floor(segment / BLOCK)]?.from[segment % BLOCK] ?? 0
  const toAt = (segment: number) => blocks[Math.floor(segment / BLOCK)]?.to[segment % BLOCK] ?? 0

  /** Adds up segments in the order of their start. */
  function union(segments: Uint32Array, layer: 0 | 1 | null): number {
    let [sum, endMs] = [0, Number.NEGATIVE_INFINITY]
    for (const segment of segments) {
      if (layer !== null && (viewerAt(segment) & 1) !== layer) continue
      const toMs = toAt(segment)
      if (toMs > endMs) {
        sum += toMs - Math.max(fromAt(segment), endMs)
        endMs = toMs
      }
    }
    return sum
  }
  return {
    add(viewer, layer, { fromMs, toMs }) {
      const at = count % BLOCK
      const block = at === 0 ? newBlock() : (blocks.at(-1) ?? newBlock())
      if (at === 0) blocks.push(block)
      block.viewers[at] = viewer * 2 + layer
      block.from[at] = fromMs
      block.to[at] = toMs
      count += 1
    },
    ofPeople(personOf, people) {
      const personAt = (segment: number) => personOf[viewerAt(segment) >>> 1] ?? 0
      const { starts, order } = sortedByPerson(count, people, personAt)
      return (person) => {
        const segments = order.subarray(starts[person], starts[person + 1])
        const [first] = segments.sort((a, b) => fromAt(a) - fromAt(b))
        if (first === undefined) return null
        const lastMs = segments.reduce((latest, segment) => Math.max(latest, toAt(segment)), 0)
        const [liveMs, recordedMs, ms] = [union(segments, 0), union(segments, 1), union(segments, null)]
        return { liveMs, recordedMs, ms, firstMs: fromAt(first), lastMs }
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
