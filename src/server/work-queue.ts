import { OverloadedError } from '../errors.ts'

/** Numbers of tasks. */
export interface QueueLoad {
  readonly running: number
  readonly waiting: number
}

export type WorkQueue = ReturnType<typeof createQueue>

export interface QueueOptions {
  /** The number of parallel tasks. */
  readonly width: number
  /** The number of tasks that may wait. */
  readonly queueLength: number
  /** The number of tasks that may wait after a second with more, until the queue is empty. Default: `queueLength`. */
  readonly overloadedQueueLength?: number
  /** A task that has waited longer is refused when its turn comes. Default: no limit. */
  readonly longestWaitMs?: number
  /** The wait that `OverloadedError` suggests. */
  readonly retryAfterSeconds?: number
  /** A clock that only goes forward. */
  readonly nowMs?: () => number
}

/** A burst that fits into the queue is over by then. */
const LONGEST_BURST_MS = 1000
const RETRY_AFTER_SECONDS = 2

/** Creates a queue: a limited number of tasks run in parallel, and a limited number wait, first in, first out. */
export function createQueue(options: QueueOptions) {
  const { width, retryAfterSeconds = RETRY_AFTER_SECONDS } = options
  const { longestWaitMs = Number.POSITIVE_INFINITY, nowMs = () => performance.now() } = options
  let running = 0
  let refused = 0
  const waiting: (() => void)[] = []
  const mostWaiting = queueLimit(options)

  function leave(): void {
    const next = waiting.shift()
    // The slot passes directly to the next task, so that no new task can jump the queue.
    if (next) next()
    else running -= 1
  }

  function refuse(message: string): never {
    refused += 1
    throw new OverloadedError(message, retryAfterSeconds)
  }

  /** @throws OverloadedError when the queue is full. Call it before other work, so that a refusal costs nothing. */
  function assertCapacity(): void {
    if (running < width || waiting.length < mostWaiting(waiting.length)) return
    refuse(`${running} tasks run and ${waiting.length} wait already`)
  }

  async function enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (running >= width) {
      assertCapacity()
      await placeInQueue(waiting, signal)
    } else running += 1
  }

  return {
    assertCapacity,
    load: (): QueueLoad => ({ running, waiting: waiting.length }),
    /** Returns how many times the queue has thrown OverloadedError. */
    refused: () => refused,
    /**
     * Runs the task as soon as a slot is free.
     * @param signal aborts the wait and rejects with its reason. A task that has started goes on.
     * @throws OverloadedError at once when the queue is full, and after a wait that was too long: the task does not start.
     */
    async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const sinceMs = nowMs()
      await enter(signal)
      try {
        if (nowMs() - sinceMs > longestWaitMs) refuse(`A task waited for more than ${longestWaitMs} ms`)
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/**
 * Returns a function that says how many tasks may wait now. Call the function for each new task, with the number of
 * waiting tasks. A burst may use the whole queue. Overload begins when the queue has been long for a second, and ends
 * when the queue is empty.
 */
function queueLimit(options: QueueOptions): (waiting: number) => number {
  const { queueLength, overloadedQueueLength = queueLength, nowMs = () => performance.now() } = options
  let longSinceMs: number | null = null
  let isOverloaded = false

  return (waiting) => {
    if (waiting <= overloadedQueueLength) longSinceMs = null
    else longSinceMs ??= nowMs()
    if (waiting === 0) isOverloaded = false
    else if (longSinceMs !== null && nowMs() - longSinceMs > LONGEST_BURST_MS) isOverloaded = true
    return isOverloaded ? overloadedQueueLength : queueLength
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
