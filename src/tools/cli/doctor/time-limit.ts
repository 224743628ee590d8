import type { CommandIo } from '../terminal/io.ts'
import { type Finding, unknown } from './finding.ts'

const LIMIT_MS = 19_000
const SAY_AFTER_MS = 3_000

/** The time of one run of the doctor. */
export interface TimeLimit {
  /** Aborted at the end of the time. */
  readonly signal: AbortSignal
  /** Says what the doctor waits for from now on. */
  waitFor(what: string): void
  /** Returns the result of the work; null at the end of the time. */
  orNull<Result>(work: Promise<Result>): Promise<Result | null>
  /** The finding for checks that were not made in time. */
  finding(): Finding
  stop(): void
}

/** Returns the streams of a command whose interrupts also come at the end of the time: work that waits for them stops. */
export function interruptedAtEnd(io: CommandIo, { signal }: Pick<TimeLimit, 'signal'>): CommandIo {
  return {
    ...io,
    onInterrupt(listener) {
      signal.addEventListener('abort', listener, { once: true })
      const release = io.onInterrupt(listener)
      return () => {
        signal.removeEventListener('abort', listener)
        release()
      }
    },
  }
}

/** Starts the time of a run. After three seconds without a new wait, names the wait on standard error. */
export function startTimeLimit({ stderr }: Pick<CommandIo, 'stderr'>, limitMs = LIMIT_MS): TimeLimit {
  const end = new AbortController()
  let what = ''
  let saying: NodeJS.Timeout | undefined
  let giveUp = () => {}
  const over = new Promise<null>((resolve) => {
    giveUp = () => resolve(null)
  })
  const timer = setTimeout(() => {
    giveUp()
    end.abort()
  }, limitMs)
  return {
    signal: end.signal,
    waitFor(named) {
      what = named
      clearTimeout(saying)
      saying = setTimeout(() => stderr.write(`Waiting for ${what} …\n`), SAY_AFTER_MS)
    },
    orNull: (work) => Promise.race([work, over]),
    finding: () =>
      unknown(
        'time-limit',
        `The doctor stopped after ${limitMs / 1000} s, waiting for ${what}. The checks after it were not made. Find out why it does not answer in time, and run doctor again.`,
      ),
    stop() {
      clearTimeout(timer)
      clearTimeout(saying)
    },
  }
}
