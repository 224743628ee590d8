import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel'
import { OverloadedError, UpstreamError } from '../../errors.ts'
import { createGate } from '../passwords/hashing-queue.ts'
import type { Warn } from '../user-store.ts'

/**
 * A request of a store that is reached over the network. It is aborted when its time is over: what it holds then
 * (a socket, a connection of a pool) it must let go, since nobody waits for it any more.
 */
export type RemoteRequest<T> = (signal: AbortSignal) => Promise<T>

/**
 * Keeps a store that hangs from holding every sign-in for its whole timeout. Requests at once are bounded, each gets one
 * bounded time, and after a few failures in a row the next are refused at once, until one that is let through finds
 * the store back. A failure of the store is an UpstreamError, thrown by the request or for being late; whatever else the
 * request throws passes as it is, and counts for an answer. Nor does the failure of a request count while others are
 * answered: with a name or a password that a store cannot bear, one viewer could else shut out everybody.
 */
export interface RemoteGuard {
  /**
   * @throws UpstreamError at once while the store is left alone, and when the time is over.
   * @throws OverloadedError at once when too many wait already, and after half the time without a place.
   */
  run<T>(request: RemoteRequest<T>): Promise<T>
  /**
   * The same without waiting for a place: for readiness, which asks whether the store is there, not how busy we are. Who
   * asks while the store is being asked gets that answer: readiness is for anybody to ask, and each would cost a connection.
   * @throws UpstreamError at once while the store is left alone, and when the time is over.
   */
  probe(request: RemoteRequest<unknown>): Promise<void>
}

export interface RemoteGuardOptions {
  /** All the time that a request gets, waiting for a place included. */
  readonly timeoutMs: number
  /** How many requests are under way at once. */
  readonly width?: number
  /** How many wait beyond those. */
  readonly queueLength?: number
  /** After so many failures in a row the store is left alone. */
  readonly failures?: number
  /** For so long; then one request tries whether it is back, and the others are still refused. */
  readonly pauseMs?: number
  /** Told when the store is first left alone, with the failure, and when it is back. */
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
  warn = () => {},
}: RemoteGuardOptions): RemoteGuard {
  const gate = createGate({ width, queueLength, retryAfterSeconds: OVERLOAD_RETRY_SECONDS })
  const inQueue = new Set<AbortController>()
  const witness = createWitness()
  let probing: Promise<void> | null = null
  const breaker = circuitBreaker(handleType(UpstreamError), {
    halfOpenAfter: pauseMs,
    breaker: new ConsecutiveBreaker(failures),
  })
  tellOfChanges(breaker, { failures, pauseMs, warn })
  // Whoever waits for a place would only be refused when it comes.
  breaker.onBreak(() => {
    for (const waiting of inQueue) waiting.abort(leftAlone())
  })

  async function unlessLeftAlone<T>(request: RemoteRequest<T>, call: AbortController): Promise<T> {
    // While one request tries the store, cockatiel would let the others wait for what it finds: for a whole timeout.
    if (breaker.state === CircuitState.HalfOpen) throw leftAlone()
    try {
      return await breaker.execute(() => witness.watch(inTime(request, call.signal)))
    } catch (error) {
      if (error instanceof AnsweredOthers) throw error.cause
      throw error instanceof BrokenCircuitError ? leftAlone() : error
    }
  }
  async function withPlace<T>(request: RemoteRequest<T>, call: AbortController): Promise<T> {
    if (breaker.state !== CircuitState.Closed) return await unlessLeftAlone(request, call)
    const waiting = new AbortController()
    const waitedEnough = setTimeout(() => waiting.abort(noPlace(timeoutMs / 2)), timeoutMs / 2)
    inQueue.add(waiting)
    const leaveQueue = () => {
      clearTimeout(waitedEnough)
      inQueue.delete(waiting)
    }
    const work = () => {
      leaveQueue()
      return unlessLeftAlone(request, call)
    }
    return await gate.run(work, waiting.signal).finally(leaveQueue)
  }
  async function limited<T>(work: (call: AbortController) => Promise<T>): Promise<T> {
    const call = new AbortController()
    const timer = setTimeout(() => call.abort(tooLate(timeoutMs)), timeoutMs)
    try {
      return await work(call)
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    async run(request) {
      const answer = await limited((call) => withPlace(request, call))
      witness.saw()
      return answer
    },
    async probe(request) {
      probing ??= limited(async (call) => void (await unlessLeftAlone(request, call))).finally(() => {
        probing = null
      })
      await probing
    },
  }
}

/**
 * Knows whether anybody was answered since a request began. An answer to readiness is no witness: a store may be there
 * and answer no question.
 */
function createWitness() {
  let answers = 0
  return {
    saw() {
      answers += 1
    },
    /** @throws AnsweredOthers in the place of an UpstreamError that says nothing about the store. */
    async watch<T>(request: Promise<T>): Promise<T> {
      const before = answers
      try {
        return await request
      } catch (cause) {
        throw cause instanceof UpstreamError && answers !== before ? new AnsweredOthers('', { cause }) : cause
      }
    },
  }
}

class AnsweredOthers extends Error {
  override readonly name = 'AnsweredOthers'
}

/** Settles when the request does or the signal is aborted, whichever is first: a request may be deaf to its signal. */
async function inTime<T>(request: RemoteRequest<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const late = Promise.withResolvers<never>()
  const onAbort = () => late.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([request(signal), late.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function tellOfChanges(
  breaker: ReturnType<typeof circuitBreaker>,
  { failures, pauseMs, warn }: Required<Pick<RemoteGuardOptions, 'failures' | 'pauseMs' | 'warn'>>,
): void {
  let isAway = false
  breaker.onBreak((broken) => {
    // Also after each trial that fails: said once, not every few seconds of a long night.
    if (isAway) return
    isAway = true
    const what = `The user store failed ${failures} times in a row`
    warn(
      `${what}: it is left alone, and tried again every ${pauseMs / 1000} s.`,
      'error' in broken ? broken.error : undefined,
    )
  })
  breaker.onReset(() => {
    isAway = false
    warn('The user store answers again.')
  })
}

function leftAlone(): UpstreamError {
  return new UpstreamError('user-store', 'The user store failed several times in a row and is left alone for a moment')
}

function tooLate(timeoutMs: number): UpstreamError {
  return new UpstreamError('user-store', `The user store did not answer within ${timeoutMs / 1000} s`)
}

function noPlace(waitedMs: number): OverloadedError {
  const message = `The requests to the user store that are under way left no place for ${waitedMs / 1000} s`
  return new OverloadedError(message, OVERLOAD_RETRY_SECONDS)
}
