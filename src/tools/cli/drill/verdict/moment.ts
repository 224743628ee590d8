import type { Attempt } from '../crowd/visit.ts'
import { percentile } from './criteria.ts'

/** The answers in one part of the drill. Times are in milliseconds since the start. */
export interface Moment {
  readonly fromMs: number
  readonly toMs: number
  /** Viewers who got a response, at their first visit or when they came back. */
  readonly passed: number
  /** 503 or 429 with Retry-After. */
  readonly askedToWait: number
  readonly unanswered: number
  /** Every other answer that was not as it should be. */
  readonly errors: number
  readonly medianWaitMs: number
  readonly longestWaitMs: number
}

const MOST_MOMENTS = 120
const STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

/** Returns the length of a moment: whole seconds, in milliseconds. */
export function stepOf(endedMs: number): number {
  const seconds = endedMs / 1000
  return 1000 * (STEPS_SECONDS.find((step) => seconds / step <= MOST_MOMENTS) ?? Math.ceil(seconds / MOST_MOMENTS))
}

/** Sums up the requests of one part of the drill. */
export function momentOf(part: readonly Attempt[], fromMs: number, toMs: number): Moment {
  const count = (isCounted: (attempt: Attempt) => boolean) => part.filter(isCounted).length
  const waits = part.map(({ waitMs }) => waitMs)
  return {
    fromMs,
    toMs,
    passed: count(({ kind, outcome }) => outcome === 'passed' && (kind === 'right' || kind === 'return')),
    askedToWait: count(({ outcome }) => outcome === 'asked-to-wait'),
    unanswered: count(({ outcome }) => outcome === 'unanswered'),
    errors: count(({ outcome }) => ['refused', 'let-in-wrongly', 'wrong-response', 'error'].includes(outcome)),
    medianWaitMs: percentile(waits, 0.5),
    longestWaitMs: waits.reduce((most, wait) => Math.max(most, wait), 0),
  }
}
