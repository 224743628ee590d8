import type { Granularity } from './report-question.ts'
import { type Bucket, bucketAround, hourShiftSeconds } from './report-times.ts'

/** The minutes, hours, days or months of a zone. */
interface Grid {
  bucketAt(seconds: number): Bucket
  /** The length of every bucket. Null for days and months, which differ. */
  readonly sizeSeconds: number | null
}

export function openGrid(granularity: Granularity, timeZone: string): Grid {
  if (granularity === 'day' || granularity === 'month') {
    return { bucketAt: (seconds) => bucketAround(seconds, granularity, timeZone), sizeSeconds: null }
  }
  const sizeSeconds = granularity === 'hour' ? 3_600 : 60
  const shiftSeconds = granularity === 'hour' ? hourShiftSeconds(timeZone) : 0
  return {
    sizeSeconds,
    bucketAt(seconds) {
      const startSeconds = Math.floor((seconds + shiftSeconds) / sizeSeconds) * sizeSeconds - shiftSeconds
      return { startSeconds, endSeconds: startSeconds + sizeSeconds }
    },
  }
}

/** Called in order of time, with a number of buckets in a row that have the same value. */
type OnValues = (firstStartSeconds: number, bucketCount: number, stepSeconds: number, value: number) => void

/**
 * Turns stretches of time with a constant number of sessions into one value for each bucket: the greatest number, or the
 * seconds of all sessions. A stretch over many minutes or hours is one call, so that a segment that runs for years costs no
 * more than a short one.
 */
export function openValues(
  { bucketAt, sizeSeconds }: Grid,
  kind: 'peaks' | 'watched',
  onValues: OnValues,
): { add(startSeconds: number, endSeconds: number, sessions: number): void; finish(): void } {
  let open = { startSeconds: 0, endSeconds: Number.NEGATIVE_INFINITY, value: 0 }
  const close = () => {
    const { startSeconds, endSeconds, value } = open
    if (value > 0) onValues(startSeconds, 1, endSeconds - startSeconds, value)
  }
  const valueFor = (sessions: number, seconds: number) => (kind === 'peaks' ? sessions : sessions * seconds)
  return {
    add(startSeconds, endSeconds, sessions) {
      for (let at = startSeconds; at < endSeconds; ) {
        const whole = sizeSeconds === null || at < open.endSeconds ? 0 : wholeBuckets(at, endSeconds)
        if (whole > 0 && sizeSeconds !== null) {
          close()
          onValues(at, whole, sizeSeconds, valueFor(sessions, sizeSeconds))
          at += whole * sizeSeconds
          open = { startSeconds: at, endSeconds: at, value: 0 }
          continue
        }
        if (at >= open.endSeconds) {
          close()
          open = { ...bucketAt(at), value: 0 }
        }
        const until = Math.min(endSeconds, open.endSeconds)
        const value = valueFor(sessions, until - at)
        open.value = kind === 'peaks' ? Math.max(open.value, value) : open.value + value
        at = until
      }
    },
    finish: close,
  }

  /** The number of whole buckets from this time on; 0 if no bucket starts at this time. */
  function wholeBuckets(at: number, endSeconds: number): number {
    if (sizeSeconds === null || bucketAt(at).startSeconds !== at) return 0
    return Math.floor((endSeconds - at) / sizeSeconds)
  }
}
