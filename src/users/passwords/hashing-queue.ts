import { availableParallelism } from 'node:os'
import { OverloadedError } from '../../errors.ts'

/** Lets a bounded number of pieces of work run at once and a bounded number wait, in their order. */
export interface Gate {
  /** @throws OverloadedError when the queue is full, so that nothing else need be done for a caller who is refused. */
  assertRoom(): void
  /**
   * Runs the work as soon as there is room, and settles as it does.
   * @param waiting who waits leaves the queue when it is aborted, and gets its reason; work that was begun goes on.
   * @throws OverloadedError at once, without beginning the work, when the queue is full.
   */
  run<T>(work: () => Promise<T>, waiting?: AbortSignal): Promise<T>
}

export interface GateOptions {
  /** How many pieces of work run at once. */
  readonly width: number
  /** How many wait beyond those that run. */
  readonly queueLength: number
  /** What a refused caller is told to wait. */
  readonly retryAfterSeconds?: number
}

/**
 * A password check costs one core for 10 to 25 ms. The last of 24 in line behind one core then waits for a quarter to
 * just over half a second: short enough to be worth it, long enough that an ordinary burst is not refused.
 */
const QUEUE_PER_CORE = 24
const RETRY_AFTER_SECONDS = 2
/** Name look-ups and files share libuv's pool with the password checks: these threads stay free for them. */
const OTHER_THREADS = 4

/** The gate before the password hashing of one process: as wide as the cores, since more at once only makes all slower. */
export function hashingGateOptions(cores: number = availableParallelism()): GateOptions {
  return { width: cores, queueLength: cores * QUEUE_PER_CORE }
}

/**
 * The value for UV_THREADPOOL_SIZE, which a program sets as its first statement. libuv's default of 4 threads would
 * leave cores beyond the fourth idle, and below that let a burst of sign-ins hold up every look-up of a host name.
 */
export function threadPoolSize(cores: number = availableParallelism()): number {
  return Math.min(cores + OTHER_THREADS, 1024)
}

/** @throws RangeError when nothing could ever run. */
export function createGate({ width, queueLength, retryAfterSeconds = RETRY_AFTER_SECONDS }: GateOptions): Gate {
  if (!Number.isSafeInteger(width) || width < 1) throw new RangeError('A gate lets one piece of work through at least')
  if (!Number.isSafeInteger(queueLength) || queueLength < 0) throw new RangeError('A queue is not shorter than empty')
  let running = 0
  const waiting: (() => void)[] = []

  function leave(): void {
    const next = waiting.shift()
    // The place goes from one to the next without being free in between, so that nobody can jump the queue.
    if (next) next()
    else running -= 1
  }

  function assertRoom(): void {
    if (running < width || waiting.length < queueLength) return
    throw new OverloadedError(`${running} are being worked on and ${waiting.length} wait already`, retryAfterSeconds)
  }

  async function enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (running < width) {
      running += 1
      return
    }
    assertRoom()
    await placeInQueue(waiting, signal)
  }

  return {
    assertRoom,
    async run(work, signal) {
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

function placeInQueue(queue: (() => void)[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      queue.splice(queue.indexOf(admit), 1)
      reject(signal?.reason)
    }
    const admit = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    queue.push(admit)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}
