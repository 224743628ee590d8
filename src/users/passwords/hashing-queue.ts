import { availableParallelism } from 'node:os'
import type { QueueOptions } from '../../server/work-queue.ts'

/**
 * A password check takes one core 10 to 25 ms, so the last of 24 waits up to 0.6 s. That is short enough for a viewer,
 * and long enough for an ordinary burst of sign-ins.
 */
const QUEUE_PER_CORE = 24
/** Under lasting overload a longer queue answers no more sign-ins, only later: after 0.2 s with 6, 0.6 s with 24. */
const OVERLOADED_QUEUE_PER_CORE = 6
/**
 * Slow hashes of other systems fill the queue with minutes of work. A proxy has given up by then, often after 10 s, and
 * the viewer has tried again.
 */
const LONGEST_WAIT_MS = 5000
/** Host name look-ups and file access use the same thread pool as password checks. They keep these threads. */
const OTHER_THREADS = 4

/**
 * Returns the limits for password hashing in one process: one task per core, since more tasks would slow each other.
 */
export function hashingQueueOptions(cores: number = availableParallelism()): QueueOptions {
  const overloadedQueueLength = cores * OVERLOADED_QUEUE_PER_CORE
  const longestWaitMs = LONGEST_WAIT_MS
  return { width: cores, queueLength: cores * QUEUE_PER_CORE, overloadedQueueLength, longestWaitMs }
}

/**
 * Returns the value for UV_THREADPOOL_SIZE, which a program sets as its first statement. libuv's default of 4 threads
 * would leave further cores idle, and a burst of sign-ins would delay host name look-ups.
 */
export function threadPoolSize(cores: number = availableParallelism()): number {
  return Math.min(cores + OTHER_THREADS, 1024)
}
