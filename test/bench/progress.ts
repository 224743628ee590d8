import type { BenchPart, Progress } from './bench-part.ts'

export interface BenchProgress {
  begin(part: BenchPart): void
  /** Shows what is measured, and the time left. */
  readonly show: Progress
  /** Removes the line, so that a row can be printed. */
  clear(): void
}

/**
 * Shows progress on standard error: one line that changes on a terminal, one line per part elsewhere. The time left is
 * the expected time of the remaining parts, corrected by the pace of those before.
 */
export function openProgress(parts: readonly BenchPart[], output = process.stderr): BenchProgress {
  const startedMs = performance.now()
  const all = secondsOf(parts)
  let done = 0
  let running: BenchPart | null = null
  let partStartedMs = startedMs

  function secondsLeft(): number {
    const elapsed = (performance.now() - startedMs) / 1000
    const expected = running?.expectedSeconds ?? 0
    const inPart = Math.min(expected, (performance.now() - partStartedMs) / 1000)
    const pace = done === 0 ? 1 : (elapsed - inPart) / done
    return Math.max(0, (all - done - inPart) * pace)
  }
  function clear(): void {
    if (output.isTTY) output.write('\r\x1b[K')
  }
  function show(doing: string): void {
    if (output.isTTY) output.write(`\r\x1b[K${doing} (about ${clock(secondsLeft())} left)`)
  }
  function warn(line: string): void {
    clear()
    output.write(`${line}\n`)
  }
  return {
    begin(part) {
      done += running?.expectedSeconds ?? 0
      running = part
      partStartedMs = performance.now()
      if (!output.isTTY) output.write(`${part.name} (about ${clock(secondsLeft())} left)\n`)
    },
    show: Object.assign(show, { warn }),
    clear,
  }
}

function secondsOf(parts: readonly BenchPart[]): number {
  return parts.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0)
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
