import type { DrillRecord } from '../crowd/run-drill.ts'
import type { Attempt } from '../crowd/visit.ts'
import { percentile } from './criteria.ts'

/** The answers in one part of the drill. Times are in milliseconds since the start. */
export type Moment = ReturnType<typeof momentOf>

const MOST_MOMENTS = 120
const STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

/** Returns the length of a moment: whole seconds, in milliseconds. */
export function stepOf(endedMs: number): number {
  const seconds = endedMs / 1000
  return 1000 * (STEPS_SECONDS.find((step) => seconds / step <= MOST_MOMENTS) ?? Math.ceil(seconds / MOST_MOMENTS))
}

/** Sums up the requests of one part of the drill. */
export function momentOf(part: readonly Attempt[], fromMs: number, toMs: number) {
  const count = (isCounted: (attempt: Attempt) => boolean) => part.filter(isCounted).length
  const waits = part.map(({ waitMs }) => waitMs)
  return {
    fromMs,
    toMs,
    /** Viewers who got a response, at their first visit or when they came back. */
    passed: count(({ kind, outcome }) => outcome === 'passed' && (kind === 'right' || kind === 'return')),
    /** 503 or 429 with Retry-After. */
    askedToWait: count(({ outcome }) => outcome === 'asked-to-wait'),
    unanswered: count(({ outcome }) => outcome === 'unanswered'),
    /** Every other answer that was not as it should be. */
    errors: count(({ outcome }) => ['refused', 'let-in-wrongly', 'wrong-response', 'error'].includes(outcome)),
    medianWaitMs: percentile(waits, 0.5),
    longestWaitMs: waits.reduce((most, wait) => Math.max(most, wait), 0),
  }
}

/** Divides the drill into at most 120 equal moments of whole seconds. A request counts where its answer came. */
export function timelineOf({ attempts, endedMs }: Pick<DrillRecord, 'attempts' | 'endedMs'>): Moment[] {
  const stepMs = stepOf(endedMs)
  const parts = Array.from({ length: Math.max(1, Math.ceil(endedMs / stepMs)) }, (): Attempt[] => [])
  for (const attempt of attempts) {
    const at = Math.floor((attempt.dueMs + attempt.waitMs) / stepMs)
    parts[Math.min(at, parts.length - 1)]?.push(attempt)
  }
  return parts.map((part, index) => momentOf(part, index * stepMs, (index + 1) * stepMs))
}
