import type { TimeRange } from '../../output/time-range.ts'

/**
 * Calls `give` for each bucket that a span touches, with the milliseconds of the span in this bucket.
 * Does nothing for a span outside of all buckets.
 */
export function spread(
  bordersMs: readonly number[],
  { fromMs, toMs }: TimeRange,
  give: (bucket: number, ms: number) => void,
): void {
  for (let bucket = bucketOf(bordersMs, fromMs); bucket < bordersMs.length - 1; bucket += 1) {
    const [begin = 0, end = 0] = [bordersMs[bucket], bordersMs[bucket + 1]]
    if (begin >= toMs) return
    give(bucket, Math.min(end, toMs) - Math.max(begin, fromMs))
  }
}

/** Returns the bucket of a time, and the first bucket for an earlier time. */
function bucketOf(bordersMs: readonly number[], timeMs: number): number {
  let [low, high] = [0, bordersMs.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((bordersMs[middle] ?? 0) <= timeMs) low = middle
    else high = middle - 1
  }
  return low
}
