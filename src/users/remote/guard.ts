import { OverloadedError, UpstreamError } from '../../errors.ts'
import { createCircuitBreaker, type RemoteRequest, withDeadline } from '../../server/circuit-breaker.ts'
import { createQueue } from '../../server/work-queue.ts'
import type { Warn } from '../user-store.ts'

/**
 * Protects sign-ins from a remote user store that fails or hangs:
 * - Requests at the same time are limited; more wait in a short queue.
 * - Every request has a timeout, which includes its time in the queue.
 * - A circuit breaker refuses requests after several failures in a row.
 *
 * Only an UpstreamError or a timeout is a failure. A failure does not count while other requests succeed. Otherwise one
 * user name that the store cannot handle would lock out every viewer.
 */
export type RemoteGuard = ReturnType<typeof createRemoteGuard>

export interface RemoteGuardOptions {
  /** Time for one request, including its time in the queue. */
  readonly timeoutMs: number
  /** Requests at the same time. */
  readonly width?: number
  /** Requests that may wait beyond those. */
  readonly queueLength?: number
  /** Failures in a row that open the breaker. */
  readonly failures?: number
  /** Time until the breaker lets one request through as a trial. */
  readonly pauseMs?: number
  /** The store in errors and warnings. Default: `user-store`. */
  readonly store?: string
  /** Called once when the breaker opens, and once when it closes. */
  readonly warn?: Warn
}

const WIDTH = 32
const QUEUE_LENGTH = 256
const FAILURES = 5
const PAUSE_MS = 3_000
const OVERLOAD_RETRY_SECONDS = 2

export function createRemoteGuard({
  timeoutMs,
  width = WIDTH,
  queueLength = QUEUE_LENGTH,
  failures = FAILURES,
  pauseMs = PAUSE_MS,
  store = 'user-store',
  warn = () => {},
}: RemoteGuardOptions) {
  const words = store.replace('-', ' ')
  const name = `The ${words}`
  const refused = () => new UpstreamError(store, `${name} failed several times in a row and is not called for a moment`)
  const queue = createQueue({ width, queueLength, retryAfterSeconds: OVERLOAD_RETRY_SECONDS })
  const queued = new Set<AbortController>()
  let successes = 0
  let probing: Promise<void> | null = null
  const breaker = createCircuitBreaker({
    failures,
    pauseMs,
    refusal: refused,
    onOpen(error) {
      // Reject queued requests now; they would fail anyway.
      for (const waiting of queued) waiting.abort(refused())
      const pause = `${pauseMs / 1000} s`
      warn(
        `${name} failed ${failures} times in a row. The app stops calling it, and tries again every ${pause}.`,
        error,
      )
    },
    onClose: () => warn(`${name} answers again.`),
  })

  function send<T>(request: RemoteRequest<T>, deadline: AbortSignal): Promise<T> {
    const successesBefore = successes
    return breaker.run(request, deadline, (error) => error instanceof UpstreamError && successes === successesBefore)
  }
  async function sendQueued<T>(request: RemoteRequest<T>, deadline: AbortSignal): Promise<T> {
    if (breaker.isOpen()) return await send(request, deadline)
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(overloaded(words, timeoutMs / 2)), timeoutMs / 2)
    queued.add(waiting)
    const leaveQueue = () => {
      clearTimeout(timer)
      queued.delete(waiting)
    }
    const work = () => {
      leaveQueue()
      return send(request, deadline)
    }
    return await queue.run(work, waiting.signal).finally(leaveQueue)
  }
  const late = () => new UpstreamError(store, `${name} did not answer within ${timeoutMs / 1000} s`)
  return {
    /**
     * Sends a request of a sign-in or a look-up.
     * @throws UpstreamError at once while the breaker is open, or when the time is over.
     * @throws OverloadedError at once if the queue is full, or after half of the time in the queue.
     */
    async run<T>(request: RemoteRequest<T>): Promise<T> {
      const answer = await withDeadline(timeoutMs, late, (deadline) => sendQueued(request, deadline))
      // Probes do not count: a store can pass its health check and still answer no sign-in.
      successes += 1
      return answer
    },
    /**
     * Sends a health check, without queueing. Concurrent callers share one check, because the address for readiness is
     * public.
     * @throws UpstreamError at once while the breaker is open, or when the time is over.
     */
    async probe(request: RemoteRequest<unknown>): Promise<void> {
      probing ??= withDeadline(timeoutMs, late, async (deadline) => void (await send(request, deadline))).finally(
        () => {
          probing = null
        },
      )
      await probing
    },
  }
}

function overloaded(store: string, waitedMs: number): OverloadedError {
  return new OverloadedError(
    `Waited ${waitedMs / 1000} s for a free connection to the ${store}`,
    OVERLOAD_RETRY_SECONDS,
  )
}
