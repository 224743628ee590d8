import type { Logger } from 'pino'
import { createClient, ErrorReply } from 'redis'
import { UpstreamError } from '../errors.ts'
import { createCircuitBreaker, withDeadline } from '../server/circuit-breaker.ts'
import type { RedisAddress } from './address.ts'
import type { OptionalStore } from './optional-store.ts'

/** A connection to Redis that reconnects by itself. Unavailable also for a minute after Redis refused a command. */
export interface RedisLink extends OptionalStore {
  readonly client: RedisClient
  readonly keyPrefix: string
  /**
   * Sends a command and returns the reply.
   * @throws UpstreamError at once while Redis is away, after half a second without a reply, and if Redis refuses the
   *   command.
   */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  /** Closes the connection at once. Commands without a reply fail. */
  close(): void
}

export interface RedisLinkOptions {
  /** Name of the setting with the address of Redis. */
  readonly setting: string
  /** The effect of an outage, as the end of a sentence in the log. */
  readonly without: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

export type RedisClient = ReturnType<typeof clientFor>

const REPLY_TIMEOUT_MS = 500
const CONNECT_TIMEOUT_MS = 2_000
const WAIT_AT_START_MS = 1_500
const PING_EVERY_MS = 1_000
/** A connection without data for this long is replaced. A working Redis sends data at each ping. */
const SOCKET_TIMEOUT_MS = 3_000
const LONGEST_PAUSE_MS = 2_000
const REPORT_EVERY_SECONDS = 60
const SCAN_COUNT = 1_000

/**
 * Connects to Redis and reconnects until the link is closed. The first caller in an outage waits half a second at most,
 * later callers not at all. The log says once a minute that the outage lasts, and once that it is over.
 * Resolves when Redis answers, or after 1.5 s without an answer: the app also starts without Redis.
 */
export async function openRedisLink(address: RedisAddress, options: RedisLinkOptions): Promise<RedisLink> {
  const { setting, nowSeconds } = options
  const client = clientFor(address)
  const reporter = createReporter(options)
  let lastFault: unknown = new Error('not connected yet')
  let unavailableUntilSeconds = 0
  // Redis replies in order, so one late reply delays all later ones: the first failure opens the breaker. An answered
  // ping closes it again. Commands of viewers are never a trial, because they would wait for the timeout.
  const breaker = createCircuitBreaker({ failures: 1, pauseMs: 0, refusal: () => lastFault })

  function failed(fault: unknown): UpstreamError {
    lastFault = fault
    const reason = fault instanceof Error ? fault.message : String(fault)
    const error = new UpstreamError('redis', `${setting}: Redis does not answer (${reason})`, { cause: fault })
    reporter.away(error)
    return error
  }
  function refused(reply: ErrorReply): UpstreamError {
    unavailableUntilSeconds = nowSeconds() + REPORT_EVERY_SECONDS
    if (reply.message.startsWith('READONLY')) disconnect(client)
    const error = new UpstreamError('redis', `${setting}: Redis refused a command (${reply.message})`, { cause: reply })
    reporter.refused(error)
    return error
  }
  function send<T>(request: () => Promise<T>): Promise<T> {
    return withDeadline(REPLY_TIMEOUT_MS, late, (deadline) => breaker.run(request, deadline, isLate))
  }
  function onReply(): void {
    send(() => Promise.resolve()).then(reporter.back, () => {
      // Another reply is closing the breaker.
    })
  }

  client.on('error', failed).on('ready', onReply).on('ping-interval', onReply)
  await connectWithin(client, WAIT_AT_START_MS)
  const isAnswering = () => client.isReady && !breaker.isOpen()
  return {
    client,
    keyPrefix: address.keyPrefix,
    isAvailable: () => isAnswering() && nowSeconds() >= unavailableUntilSeconds,
    run: async (command) => {
      if (!isAnswering()) throw failed(lastFault)
      try {
        return await send(() => command(client))
      } catch (fault) {
        throw fault instanceof ErrorReply ? refused(fault) : failed(fault)
      }
    },
    close() {
      client.removeListener('error', failed).on('error', () => {})
      client.destroy()
    },
  }
}

function late(): Error {
  return new UpstreamError('redis', `no answer within ${REPLY_TIMEOUT_MS} ms`)
}

/** True for a timeout. After a lost connection, node-redis itself fails commands at once. */
function isLate(error: unknown): boolean {
  return error instanceof UpstreamError
}

/**
 * Connects to Redis for the work of one command-line command. Logs nothing.
 * @throws UpstreamError if Redis does not answer.
 */
export async function withRedis<T>(
  address: RedisAddress,
  setting: string,
  work: (link: RedisLink) => Promise<T>,
): Promise<T> {
  const log = { info: () => {}, warn: () => {} }
  const nowSeconds = () => Date.now() / 1000
  const link = await openRedisLink(address, { setting, without: 'the command fails', log, nowSeconds })
  try {
    return await work(link)
  } finally {
    link.close()
  }
}

/**
 * Deletes all keys with a prefix, in batches that do not block Redis.
 * @param prefix without the pattern characters of Redis.
 * @returns the number of deleted keys.
 * @throws UpstreamError if Redis does not answer. Some keys may be deleted then.
 */
export async function removeByPrefix({ run }: Pick<RedisLink, 'run'>, prefix: string): Promise<number> {
  let removed = 0
  let cursor = '0'
  do {
    const page = await run((client) => client.scan(cursor, { MATCH: `${prefix}*`, COUNT: SCAN_COUNT }))
    if (page.keys.length > 0) removed += await run((client) => client.del(page.keys))
    cursor = page.cursor
  } while (cursor !== '0')
  return removed
}

function clientFor({ host, port, username, password, database, tls }: RedisAddress) {
  const common = {
    host,
    port,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    reconnectStrategy: pauseBeforeRetry,
  }
  const authority = tls === null || tls.authority === null ? {} : { ca: tls.authority }
  return createClient({
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    database,
    socket: tls === null ? common : { ...common, tls: true, rejectUnauthorized: true, ...authority },
    // Commands fail during an outage instead of waiting for its end.
    disableOfflineQueue: true,
    // node-redis pings again only after a reply, so a dead connection reaches its socket timeout.
    pingInterval: PING_EVERY_MS,
    maintNotifications: 'disabled',
  })
}

/** Returns an exponential delay up to two seconds, with jitter, because all copies of the app reconnect together. */
function pauseBeforeRetry(retries: number): number {
  return Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
}

/** Closes the connection to a server that became a replica. The next connection goes to the new primary. */
function disconnect(client: RedisClient): void {
  client.sendCommand(['QUIT']).catch(() => {
    // Already closed.
  })
}

async function connectWithin(client: RedisClient, waitMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs)
    client.connect().then(
      () => {
        clearTimeout(timer)
        resolve()
      },
      () => {
        // Rejects only when the link is closed. Until then node-redis retries and emits each failure as an event.
      },
    )
  })
}

/** Logs an outage once a minute, and its end once. */
function createReporter({ setting, without, log, nowSeconds }: RedisLinkOptions) {
  let quietUntilSeconds = 0
  let isReported = false
  function isTime(): boolean {
    if (nowSeconds() < quietUntilSeconds) return false
    quietUntilSeconds = nowSeconds() + REPORT_EVERY_SECONDS
    return true
  }
  return {
    away(err: UpstreamError): void {
      if (!isTime()) return
      isReported = true
      log.warn({ event: 'redis-away', setting, err }, `${setting}: Redis is away, and ${without}`)
    },
    refused(err: UpstreamError): void {
      if (isTime()) log.warn({ event: 'redis-refuses', setting, err }, `${setting}: Redis refuses, and ${without}`)
    },
    back(): void {
      if (!isReported) return
      isReported = false
      log.info({ event: 'redis-back', setting }, `${setting}: Redis answers again`)
    },
  }
}
