import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from './import-sheet.ts'

/** A page waits this long for a result, before it shows how far the work is. */
const MOST_WAIT_MS = 3_000
/** After this time without a request, no browser has the page open: it loads the page every few seconds. */
const LEFT_SECONDS = 15

/** A work that goes on after the answer. */
export interface Work<T> {
  /** `isDone` is false for a work that was stopped. */
  readonly at: Progress & { isDone: boolean }
  readonly result: Promise<T>
  askedAtSeconds: number
}

/** Starts a work. @param nowSeconds stops the work when no page asks for it. Without it, the work goes on. */
export function startWork<T>(
  run: (at: Progress) => Promise<T>,
  isStopped: () => boolean,
  nowSeconds: () => number = () => 0,
): Work<T> {
  const at = {
    share: 0,
    isDone: false,
    isStopped: () => isStopped() || nowSeconds() - work.askedAtSeconds >= LEFT_SECONDS,
  }
  const result = Promise.resolve(at).then(run)
  const work: Work<T> = { at, result, askedAtSeconds: nowSeconds() }
  result.then(
    () => {
      at.isDone = !at.isStopped()
    },
    // A page that asks gets the fault.
    () => {},
  )
  return work
}

/** Returns the result if it is there soon, else null. */
export async function resultSoon<T>({ result }: Work<T>): Promise<T | null> {
  return await Promise.race([result, sleep(MOST_WAIT_MS, null, { ref: false })])
}
