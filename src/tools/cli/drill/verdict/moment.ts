import type { DrillRecord } from '../crowd/run-drill.ts'
import { type Attempt, gotIn } from '../crowd/visit.ts'
import { percentile } from './criteria.ts'

/** A part of the drill. Times are in milliseconds since the start. */
export type Moment = ReturnType<typeof timelineOf>[number]

const MOST_MOMENTS = 120
const STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

/** Sums up requests. */
export function sumOf(part: readonly Attempt[]) {
  const count = (isCounted: (attempt: Attempt) => boolean) => part.filter(isCounted).length
  const waits = part.map(({ waitMs }) => waitMs)
  return {
    /** Viewers who got a response, at their first visit or when they came back. */
    passed: count(gotIn),
    held: count(({ outcome }) => outcome === 'held'),
    /** 503 or 429 with Retry-After. */
    askedToWait: count(({ outcome }) => outcome === 'asked-to-wait'),
    unanswered: count(({ outcome }) => outcome === 'unanswered'),
    /** Every other answer that was not as it should be. */
    errors: count(({ outcome }) => ['refused', 'let-in-wrongly', 'wrong-response', 'error'].includes(outcome)),
    medianWaitMs: percentile(waits, 0.5),
    longestWaitMs: waits.reduce((most, wait) => Math.max(most, wait), 0),
  }
}

/** Counts the viewers who came before a time: those who were in, those who had given up, and the others. */
export function crowdAt(visits: DrillRecord['visits'], timeMs: number) {
  const isBefore = (atMs: number | null | undefined) => typeof atMs === 'number' && atMs < timeMs
  const came = visits.filter(({ arrivedMs }) => isBefore(arrivedMs))
  return {
    came: came.length,
    inside: came.filter(({ gotInMs }) => isBefore(gotInMs)).length,
    gaveUp: came.filter(({ end }) => end?.isIn === false && end.fault !== null && isBefore(end.atMs)).length,
    waiting: came.filter(({ gotInMs, end }) => !(isBefore(gotInMs) || isBefore(end?.atMs))).length,
  }
}

/**
 * Divides the drill, or a time of it, into at most 120 equal moments of whole seconds. A request counts where its answer
 * came, and viewers count at the end of a moment.
 */
export function timelineOf(
  { attempts, visits, endedMs }: Pick<DrillRecord, 'attempts' | 'visits' | 'endedMs'>,
  fromMs = 0,
  toMs = endedMs,
) {
  const stepMs = stepOf(toMs - fromMs)
  const parts = Array.from({ length: Math.floor((toMs - fromMs) / stepMs) + 1 }, (): Attempt[] => [])
  for (const attempt of attempts) parts[Math.floor((attempt.dueMs + attempt.waitMs - fromMs) / stepMs)]?.push(attempt)
  return parts.map((part, index) => {
    const startMs = fromMs + index * stepMs
    const endMs = startMs + stepMs
    const arrived = visits.filter(({ arrivedMs }) => arrivedMs >= startMs && arrivedMs < endMs).length
    const { inside, waiting } = crowdAt(visits, endMs)
    return { fromMs: startMs, toMs: endMs, arrived, inside, waiting, ...sumOf(part) }
  })
}

/** Returns the length of a moment: whole seconds, in milliseconds. */
function stepOf(spanMs: number): number {
  const seconds = spanMs / 1000
  return 1000 * (STEPS_SECONDS.find((step) => seconds / step < MOST_MOMENTS) ?? Math.ceil(seconds / (MOST_MOMENTS - 1)))
}
