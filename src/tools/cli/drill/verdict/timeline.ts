import type { DrillRecord } from '../crowd/run-drill.ts'
import type { Attempt } from '../crowd/visit.ts'
import { type Moment, momentOf, stepOf } from './moment.ts'

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
