import type { DrillRecord } from './crowd/run-drill.ts'
import type { Attempt } from './crowd/visit.ts'
import type { OperatorCommand } from './operator-commands.ts'

/** A span of the drill, in milliseconds since its start. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const STEP_MS = 1_000
const CALM_STEPS = 5

/**
 * Returns the spans in which a request may stay without an answer: from the start of each command until the time for
 * recovery is over, and from the start of an outage until the next command.
 */
export function faultSpans({ commands, endedMs }: DrillRecord, recoverWithinMs: number): Span[] {
  const ran = commands.filter((command) => command.startedMs !== null)
  return ran.map((command, index) => {
    const fromMs = command.startedMs ?? 0
    const next = ran[index + 1]?.startedMs ?? endedMs
    const toMs = (command.endedMs ?? endedMs) + recoverWithinMs
    return { fromMs, toMs: command.isOutage ? Math.max(next, toMs) : toMs }
  })
}

/**
 * Returns how long after the end of a command sign-ins worked again, in milliseconds, exact to a second: they succeed,
 * and for five seconds no second has more failures than successes. Looks as far as the next command. Null if they did
 * not work again.
 */
export function recoveryMs({ attempts, commands, endedMs }: DrillRecord, command: OperatorCommand): number | null {
  const fromMs = command.endedMs
  if (fromMs === null) return null
  const toMs = commands[commands.indexOf(command) + 1]?.startedMs ?? endedMs
  const balance = new Map<number, number>()
  const good = new Set<number>()
  for (const attempt of attempts) {
    const worth = worthOf(attempt)
    if (worth === 0 || attempt.dueMs < fromMs || attempt.dueMs >= toMs) continue
    const step = Math.floor((attempt.dueMs - fromMs) / STEP_MS)
    balance.set(step, (balance.get(step) ?? 0) + worth)
    if (worth > 0) good.add(step)
  }
  const bad = [...balance].flatMap(([step, sum]) => (sum < 0 ? [step] : [])).toSorted((a, b) => a - b)
  const starts = [0, ...bad.map((step) => step + 1)]
  const recovered = starts.find((start, index) => {
    const nextBad = bad[index] ?? Number.POSITIVE_INFINITY
    return nextBad - start >= CALM_STEPS && [...good].some((step) => step >= start && step < nextBad)
  })
  return recovered === undefined ? null : recovered * STEP_MS
}

/** A screen that opens proves nothing about the stores. */
function worthOf({ kind, outcome }: Attempt): number {
  if (outcome === 'passed' || outcome === 'session-ended') return kind === 'screen' ? 0 : 1
  return -1
}
