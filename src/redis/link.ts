import type { Logger } from 'pino'
import { createClient, ErrorReply } from 'redis'
import { UpstreamError } from '../errors.ts'
import type { RedisAddress } from './address.ts'
import type { OptionalStore } from './optional-store.ts'

/** A connection that is kept up, and never waited for. Unavailable also for a minute after Redis refused a command. */
export interface RedisLink extends OptionalStore {
  readonly client: RedisClient
  readonly keyPrefix: string
  /**
   * Gives a command to Redis, and its answer back within half a second.
   * @throws UpstreamError at once while Redis is away, else after half a second without an answer, and for what Redis
   *   refuses.
   */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  /** At once, whatever is under way. */
  close(): void
}

export interface RedisLinkOptions {
  /** The setting that the address came from. */
  readonly setting: string
  /** What the app does without Redis, as the end of a sentence. */
  readonly without: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

export type RedisClient = ReturnType<typeof clientFor>

const ANSWER_WITHIN_MS = 400
const LAST_CHANCE_MS = 100
const CONNECT_WITHIN_MS = 2_000
const WAIT_AT_START_MS = 1_500
const BEAT_EVERY_MS = 1_000
/** A connection on which nothing is heard for so long is given up and made anew; while Redis is well, each beat is. */
const SILENT_CONNECTION_MS = 3_000
const LONGEST_PAUSE_MS = 2_000
const REPORT_EVERY_SECONDS = 60
const SCANNED_AT_ONCE = 1_000

/**
 * Connects to Redis, and goes on trying for as long as the link is open: of an outage the caller hears within half a
 * second, and as long as it lasts at once, so that no viewer waits for it. It is logged once a minute, and its end once.
 * Resolves when Redis answers, or after a second and a half without it: the app starts all the same.
 */
export async function openRedisLink(address: RedisAddress, options: RedisLinkOptions): Promise<RedisLink> {
  const { setting, nowSeconds } = options
  const client = clientFor(address)
  const news = reporter(options)
  let isSilent = false
  let lastFault: unknown = new Error('the connection is not made yet')
  let refusedUntilSeconds = 0

  const isAnswering = () => client.isReady && !isSilent
  function answered(): void {
    isSilent = false
    news.back()
  }
  function failed(fault: unknown): UpstreamError {
    lastFault = fault
    const reason = fault instanceof Error ? fault.message : String(fault)
    const error = new UpstreamError('redis', `${setting}: Redis does not answer (${reason})`, { cause: fault })
    news.away(error)
    return error
  }
  function refused(reply: ErrorReply): UpstreamError {
    refusedUntilSeconds = nowSeconds() + REPORT_EVERY_SECONDS
    if (reply.message.startsWith('READONLY')) leave(client)
    const error = new UpstreamError('redis', `${setting}: Redis refused a command (${reply.message})`, { cause: reply })
    news.refused(error)
    return error
  }
  function inTime<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        isSilent = true
        reject(failed(new Error(`no answer within ${ANSWER_WITHIN_MS + LAST_CHANCE_MS} ms`)))
      }
      // In two parts: where this process was held up itself, the answer lies there and is read between them.
      let timer = setTimeout(() => {
        timer = setTimeout(giveUp, LAST_CHANCE_MS)
      }, ANSWER_WITHIN_MS)
      const onFault = (fault: unknown) => reject(fault instanceof ErrorReply ? refused(fault) : failed(fault))
      const onReply = (value: T) => {
        answered()
        resolve(value)
      }
      // What comes too late is not what was asked for any more, but shows that Redis is back.
      reply.then(onReply, onFault).finally(() => clearTimeout(timer))
    })
  }

  client.on('error', failed).on('ready', answered)
  const stopBeating = beat(client, inTime)
  await connectWithin(client, WAIT_AT_START_MS)
  return {
    client,
    keyPrefix: address.keyPrefix,
    isAvailable: () => isAnswering() && nowSeconds() >= refusedUntilSeconds,
    run: async (command) => {
      if (!isAnswering()) throw failed(lastFault)
      return await inTime(command(client))
    },
    close() {
      stopBeating()
      client.removeListener('error', failed).on('error', () => {})
      client.destroy()
    },
  }
}

/**
 * Does some work on Redis for a command: what goes wrong is for the command to say.
 * @throws UpstreamError when Redis does not answer, saying why.
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
 * Removes every key that begins so, a part at a time, while Redis serves others.
 * @param prefix without the characters that a pattern of Redis gives a meaning.
 * @returns how many there were.
 * @throws UpstreamError when Redis does not answer: some may be removed then.
 */
export async function removeByPrefix({ run }: Pick<RedisLink, 'run'>, prefix: string): Promise<number> {
  let removed = 0
  let cursor = '0'
  do {
    const page = await run((client) => client.scan(cursor, { MATCH: `${prefix}*`, COUNT: SCANNED_AT_ONCE }))
    if (page.keys.length > 0) removed += await run((client) => client.del(page.keys))
    cursor = page.cursor
  } while (cursor !== '0')
  return removed
}

function clientFor({ host, port, username, password, database, tls }: RedisAddress) {
  const common = {
    host,
    port,
    connectTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENT_CONNECTION_MS,
    reconnectStrategy: pauseBeforeRetry,
  }
  const authority = tls === null || tls.authority === null ? {} : { ca: tls.authority }
  return createClient({
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    database,
    socket: tls === null ? common : { ...common, tls: true, rejectUnauthorized: true, ...authority },
    // Else what is asked for during an outage would wait for its end.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
  })
}

/** Longer each time up to two seconds, and not the same in all copies of the app, which lost Redis together. */
function pauseBeforeRetry(retries: number): number {
  return Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
}

/**
 * After a failover the connection may be to a server that is a replica now: Redis closes it when asked to, and the new one
 * goes to whoever has the address.
 */
function leave(client: RedisClient): void {
  client.sendCommand(['QUIT']).catch(() => {
    // Closed already, which is as good.
  })
}

/** Asks for a sign of life, one at a time: so that an outage is known before a viewer has to wait for it. */
function beat(client: RedisClient, inTime: <T>(reply: Promise<T>) => Promise<T>): () => void {
  let isUnderWay = false
  const timer = setInterval(() => {
    if (isUnderWay || !client.isReady) return
    isUnderWay = true
    const reply = client.ping()
    const over = () => {
      isUnderWay = false
    }
    reply.then(over, over)
    inTime(reply).catch(() => {
      // It is logged, and the state is known.
    })
  }, BEAT_EVERY_MS).unref()
  return () => clearInterval(timer)
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
        // Only when it is closed: until then it goes on trying, and each failure is an event of its own.
      },
    )
  })
}

/** Says of an outage once a minute that it lasts, and once that it is over. */
function reporter({ setting, without, log, nowSeconds }: RedisLinkOptions) {
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
