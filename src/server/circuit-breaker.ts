import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'

/**
 * A request to another service. It must free its socket or connection when the signal aborts, because its caller has
 * stopped waiting.
 */
export type RemoteRequest<T> = (signal: AbortSignal) => Promise<T>

/** Refuses requests to a service that is away, so that callers do not wait for its timeout. */
export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

export interface CircuitBreakerOptions {
  /** Failures in a row that open the breaker. */
  readonly failures: number
  /** Time between opening and a trial, and between two trials. */
  readonly pauseMs: number
  /** Makes the error for a refused request. */
  readonly refusal: () => unknown
  /** Called once per outage, with the failure that opened the breaker. */
  readonly onOpen?: (error: unknown) => void
  /** Called when a trial succeeds. */
  readonly onClose?: () => void
}

export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { failures, pauseMs, refusal, onOpen, onClose } = options
  const outages = new WeakSet<Error>()
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof Error && outages.has(error)),
    { halfOpenAfter: pauseMs, breaker: new ConsecutiveBreaker(failures) },
  )
  let isReported = false
  breaker.onBreak((broken) => {
    if (!isReported) onOpen?.('error' in broken ? broken.error : undefined)
    isReported = true
  })
  breaker.onReset(() => {
    isReported = false
    onClose?.()
  })
  return {
    /** True while requests are refused. */
    isOpen: (): boolean => breaker.state !== CircuitState.Closed,
    /**
     * Sends a request. An open breaker refuses it at once, except for one trial after each pause.
     * @param deadline ends the request when it aborts, even if the request ignores its signal.
     * @param isOutage true if the error means that the service is away. Other errors do not count as failures.
     * @throws the error of the request, the reason of the deadline, or the refusal.
     */
    async run<T>(request: RemoteRequest<T>, deadline: AbortSignal, isOutage: (error: unknown) => boolean): Promise<T> {
      // During a trial, cockatiel would keep other requests waiting for its outcome: up to a whole timeout.
      if (breaker.state === CircuitState.HalfOpen) throw refusal()
      const attempt = async () => {
        try {
          return await untilDeadline(request, deadline)
        } catch (error) {
          if (error instanceof Error && isOutage(error)) outages.add(error)
          throw error
        }
      }
      try {
        return await breaker.execute(attempt)
      } catch (error) {
        throw error instanceof BrokenCircuitError ? refusal() : error
      }
    },
  }
}

/** Runs work with a signal that aborts after the timeout. @param late makes the reason of the abort. */
export async function withDeadline<T>(
  timeoutMs: number,
  late: () => Error,
  work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  // Two timers: if this process was blocked, an answer that arrived meanwhile is read between the two.
  let timer = setTimeout(() => {
    timer = setTimeout(() => controller.abort(late()), timeoutMs / 5)
  }, timeoutMs * 0.8)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for the answer until the deadline aborts, even if the request ignores its signal. @throws the reason of the abort. */
export async function untilDeadline<T>(request: RemoteRequest<T>, deadline: AbortSignal): Promise<T> {
  deadline.throwIfAborted()
  const late = Promise.withResolvers<never>()
  const onAbort = () => late.reject(deadline.reason)
  deadline.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([request(deadline), late.promise])
  } finally {
    deadline.removeEventListener('abort', onAbort)
  }
}
