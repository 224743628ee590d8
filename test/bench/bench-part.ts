import type { BenchRow, FailedRow } from './bench-row.ts'
import type { Installation } from './installation.ts'
import type { Meter } from './machine-load.ts'
import { UnexpectedAnswers } from './unexpected-answers.ts'

/** A group of rows that share their servers. */
export interface BenchPart {
  readonly name: string
  /** Duration on two idle cores. Only the estimate of the time left depends on it. */
  readonly expectedSeconds: number
  /** Yields each row as soon as it is measured. */
  readonly rows: (run: BenchRun) => AsyncIterable<BenchRow | FailedRow>
}

export interface BenchRun {
  readonly installation: Installation
  readonly progress: Progress
  /** Measures what other programs use meanwhile. */
  readonly startMeter: () => Meter
}

export interface Progress {
  /** Shows what is measured now. */
  (doing: string): void
  /** Prints a line that stays. */
  readonly warn: (line: string) => void
}

/** A busy machine spoils a round now and then. More than so many in one measurement are the fault of the app. */
export const MOST_REPEATS = 3

/** More than this share of the cores spoils a round. */
const SPOILED = 0.2
/** Leaves one repeat for unexpected answers. */
const MOST_SPOILED = MOST_REPEATS - 1

/**
 * Runs a measurement several times, and shows the number of the round. Repeats a round with unexpected answers, and a round
 * beside another busy program. If that program stays, its rounds count: by turns, it slows both sides.
 * @param measure gets another number at each call, below `rounds + MOST_REPEATS`: what it used up is not used again.
 * @throws UnexpectedAnswers after too many repeats.
 */
export async function inRounds<T>(
  rounds: number,
  { progress, startMeter }: Pick<BenchRun, 'progress' | 'startMeter'>,
  name: string,
  measure: (call: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (let call = 0; results.length < rounds; call++) {
    const round = `${name}, round ${results.length + 1} of ${rounds}`
    progress(round)
    try {
      const meter = startMeter()
      const result = await measure(call)
      const others = meter()
      if (others > SPOILED && call - results.length < MOST_SPOILED) {
        progress.warn(
          `${round}: other programs used ${Math.round(others * 100)} % of the machine. Repeating the round.`,
        )
      } else results.push(result)
    } catch (error) {
      const repeats = call - results.length + 1
      if (!(error instanceof UnexpectedAnswers) || repeats > MOST_REPEATS) throw error
      progress.warn(`${round}: ${error.message}. Repeating the round.`)
    }
  }
  return results
}

/** Yields the rows of a measurement, or that it failed. The rows after it do not need it. */
export async function* unlessFailed(
  name: string,
  rows: () => AsyncIterable<BenchRow | FailedRow> | Promise<BenchRow | readonly BenchRow[]>,
): AsyncGenerator<BenchRow | FailedRow> {
  try {
    const measured = rows()
    if (Symbol.asyncIterator in measured) yield* measured
    else yield* [await measured].flat()
  } catch (error) {
    yield { name, failure: error instanceof Error ? error.message : String(error) }
  }
}
