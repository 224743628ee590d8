import { ErrorReply } from '@redis/client'
import { UpstreamError } from '../errors.ts'
import { type CircuitBreaker, createCircuitBreaker, withDeadline } from '../server/circuit-breaker.ts'
import type { RedisClient } from './connection.ts'
import { createOutageLog, type OutageLogOptions } from './outage-log.ts'

/** Undefined for a server of a cluster that was never reached. */
export type RedisServer = RedisClient | undefined

const REPLY_TIMEOUT_MS = 500
const UNAVAILABLE_SECONDS = 60
/** A cluster that lacks a server, or a server that loads its data, may work again soon. */
const SHORTLY_UNAVAILABLE_SECONDS = 2
const SHORT_REFUSAL = /^(CLUSTERDOWN|LOADING|MASTERDOWN|TRYAGAIN)\b/

interface ServerState {
  readonly breaker: CircuitBreaker
  unavailableUntilSeconds: number
}

export interface HealthOptions extends OutageLogOptions {
  /** A server that takes longer for a reply is away. */
  readonly replyTimeoutMs?: number
}

/** Sends commands to servers that answer, and refuses commands to the others. @param allServers the outage is over when all of them answer. */
export function createServerHealth(options: HealthOptions, allServers: () => readonly RedisServer[]) {
  const { setting, nowSeconds, replyTimeoutMs = REPLY_TIMEOUT_MS } = options
  const outageLog = createOutageLog(options)
  const states = new WeakMap<RedisClient, ServerState>()
  let lastFault: unknown = new Error('not connected yet')

  /** Logs a fault, and returns it as an error. */
  function failed(fault: unknown): UpstreamError {
    lastFault = fault
    const reason = fault instanceof Error ? fault.message : String(fault)
    const error = new UpstreamError('redis', `${setting}: Redis does not answer (${reason})`, { cause: fault })
    outageLog.away(error)
    return error
  }
  function refused(reply: ErrorReply, server: RedisClient, state: ServerState): UpstreamError {
    const seconds = SHORT_REFUSAL.test(reply.message) ? SHORTLY_UNAVAILABLE_SECONDS : UNAVAILABLE_SECONDS
    state.unavailableUntilSeconds = nowSeconds() + seconds
    if (reply.message.startsWith('READONLY')) disconnect(server)
    const error = new UpstreamError('redis', `${setting}: Redis refused a command (${reply.message})`, { cause: reply })
    outageLog.refused(error)
    return error
  }
  /** Returns the state of a server that answers; undefined for any other. */
  function answering(server: RedisServer): ServerState | undefined {
    const state = server?.isReady ? states.get(server) : undefined
    return state?.breaker.isOpen() ? undefined : state
  }
  function logRecovery(): void {
    const servers = allServers()
    if (servers.length > 0 && servers.every(answering)) outageLog.back()
  }
  function send<T>(breaker: CircuitBreaker, request: () => Promise<T>): Promise<T> {
    const late = () => new UpstreamError('redis', `no answer within ${replyTimeoutMs} ms`)
    return withDeadline(replyTimeoutMs, late, (deadline) => breaker.run(request, deadline, isLate))
  }
  /** Begins to watch a connection. A connection that is not watched is away. */
  function watch(server: RedisClient): void {
    if (states.has(server)) return
    // Redis replies in order, so one late reply delays all later ones: the first failure opens the breaker. An answered
    // ping closes it again. Commands of viewers are never a trial, because they would wait for the timeout.
    const breaker = createCircuitBreaker({ failures: 1, pauseMs: 0, refusal: () => lastFault })
    states.set(server, { breaker, unavailableUntilSeconds: 0 })
    const onReply = () => {
      send(breaker, () => Promise.resolve()).then(logRecovery, () => {
        // Another reply is closing the breaker.
      })
    }
    server.on('ready', onReply).on('ping-interval', onReply)
  }
  return {
    watch,
    failed,
    /** False while the server is away, and for a while after it refused a command. */
    isAvailable(server: RedisServer): boolean {
      const state = answering(server)
      return state !== undefined && nowSeconds() >= state.unavailableUntilSeconds
    },
    /**
     * Sends a request to a server.
     * @throws UpstreamError at once while the server is away, after half a second without a reply, and if the server
     *   refuses the command.
     */
    async run<T>(server: RedisServer, request: (server: RedisClient) => Promise<T>): Promise<T> {
      const state = answering(server)
      if (server === undefined || state === undefined) throw failed(lastFault)
      try {
        return await send(state.breaker, () => request(server))
      } catch (fault) {
        throw fault instanceof ErrorReply ? refused(fault, server, state) : failed(fault)
      }
    },
  }
}

/** True for a timeout. After a lost connection, node-redis itself fails commands at once. */
function isLate(error: unknown): boolean {
  return error instanceof UpstreamError
}

/** Closes the connection to a server that became a replica. The next connection goes to the new primary. */
function disconnect(server: RedisClient): void {
  server.sendCommand(['QUIT']).catch(() => {
    // Already closed.
  })
}
