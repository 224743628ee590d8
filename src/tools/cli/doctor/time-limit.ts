import type { CommandIo } from '../terminal/io.ts'
import { unknown } from './finding.ts'

const LIMIT_MS = 19_000
const SAY_AFTER_MS = 3_000

/** Returns the streams of a command whose interrupts come from a signal: work that waits for them stops. */
export function interruptedBy(signal: AbortSignal, io: CommandIo): CommandIo {
  return {
    ...io,
    onInterrupt(listener) {
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  }
}

/** Starts the time of a run. After three seconds without a new wait, names the wait on standard error. */
export function startTimeLimit({ stderr }: Pick<CommandIo, 'stderr'>, limitMs = LIMIT_MS) {
  const end = new AbortController()
  let what = ''
  let saying: NodeJS.Timeout | undefined
  const { promise: over, resolve: giveUp } = Promise.withResolvers<null>()
  const timer = setTimeout(() => {
    giveUp(null)
    end.abort()
  }, limitMs)
  return {
    /** Aborted at the end of the time. */
    signal: end.signal,
    /** Says what the doctor waits for from now on. */
    waitFor(named: string): void {
      what = named
      clearTimeout(saying)
      saying = setTimeout(() => stderr.write(`Waiting for ${what} …\n`), SAY_AFTER_MS)
    },
    /** Returns the result of the work; null at the end of the time. */
    orNull: <Result>(work: Promise<Result>): Promise<Result | null> => Promise.race([work, over]),
    /** The finding for checks that were not made in time. */
    finding: () =>
      unknown(
        'time-limit',
        `The doctor stopped after ${limitMs / 1000} s, waiting for ${what}. The checks after it were not made. Find out why it does not answer in time, and run doctor again.`,
      ),
    stop(): void {
      clearTimeout(timer)
      clearTimeout(saying)
    },
  }
}
