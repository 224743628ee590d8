import type { BenchRow } from './bench-row.ts'
import type { Installation } from './installation.ts'

/** A group of rows that share their servers. */
export interface BenchPart {
  readonly name: string
  /** Duration on two idle cores. Only the estimate of the time left depends on it. */
  readonly expectedSeconds: number
  /** Yields each row as soon as it is measured. */
  readonly rows: (run: BenchRun) => AsyncIterable<BenchRow>
}

export interface BenchRun {
  readonly installation: Installation
  /** Shows what is measured now. */
  readonly progress: (doing: string) => void
}

/** Runs a measurement several times, and shows the number of the round. */
export async function inRounds<T>(
  rounds: number,
  { progress }: Pick<BenchRun, 'progress'>,
  name: string,
  measure: (round: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (let round = 0; round < rounds; round++) {
    progress(`${name}, round ${round + 1} of ${rounds}`)
    results.push(await measure(round))
  }
  return results
}
