import type { DrillRecord } from '../crowd/run-drill.ts'
import type { Attempt } from '../crowd/visit.ts'
import type { OperatorCommand } from '../operator-commands.ts'

/** A span of the drill, in milliseconds since its start. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const CALM_SECONDS = 5

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
 * Returns the time from the end of a command until sign-ins worked again, in milliseconds, exact to a second. They work
 * if one succeeds, and for five seconds no second has more failures than successes. Null if they did not work again
 * before the next command.
 */
export function recoveryMs({ attempts, commands, endedMs }: DrillRecord, command: OperatorCommand): number | null {
  const fromMs = command.endedMs
  if (fromMs === null) return null
  const toMs = commands[commands.indexOf(command) + 1]?.startedMs ?? endedMs
  /** Successes minus failures, by second. */
  const balances = new Map<number, number>()
  const successes = new Set<number>()
  for (const attempt of attempts) {
    const change = balanceOf(attempt)
    if (change === 0 || attempt.dueMs < fromMs || attempt.dueMs >= toMs) continue
    const second = Math.floor((attempt.dueMs - fromMs) / 1000)
    balances.set(second, (balances.get(second) ?? 0) + change)
    if (change > 0) successes.add(second)
  }
  const bad = [...balances].flatMap(([second, balance]) => (balance < 0 ? [second] : [])).toSorted((a, b) => a - b)
  // A calm time begins at once, or after a bad second, and ends with the next bad second.
  const starts = [0, ...bad.map((second) => second + 1)]
  const recovered = starts.find((start, index) => {
    const end = bad[index] ?? Number.POSITIVE_INFINITY
    return end - start >= CALM_SECONDS && [...successes].some((second) => second >= start && second < end)
  })
  return recovered === undefined ? null : recovered * 1000
}

/** Returns 1 for a success, -1 for a failure, and 0 for a screen that opens, which proves nothing about the stores. */
function balanceOf({ kind, outcome }: Attempt): number {
  if (outcome === 'passed' || outcome === 'session-ended') return kind === 'screen' ? 0 : 1
  return -1
}
