import { UpstreamError } from '../errors.ts'
import type { RedisAddress } from './address.ts'
import { connectToCluster } from './cluster.ts'
import { connectToServer, type RedisCommands, type RedisConnection } from './connection.ts'
import { createServerHealth, type HealthOptions } from './server-health.ts'

/** A connection to Redis that reconnects by itself. Unavailable also for a minute after Redis refused a command. */
export type RedisLink = Awaited<ReturnType<typeof openRedisLink>>

const SCAN_COUNT = 1_000
const READ_BATCH_SIZE = 500
/** Longer than in the app, because no viewer waits for a command, and a command may read all sessions. */
const COMMAND_REPLY_MS = 5_000

/**
 * Connects to Redis and reconnects until the link is closed. The first caller in an outage waits half a second at most,
 * later callers not at all. The log says once a minute that the outage lasts, and once that it is over.
 * Resolves when Redis answers, or after 1.5 s without an answer: the app also starts without Redis.
 */
export async function openRedisLink(address: RedisAddress, options: HealthOptions) {
  let connection: RedisConnection | null = null
  const health = createServerHealth(options, () => connection?.servers() ?? [])
  const connect = address.isCluster ? connectToCluster : connectToServer
  const opened = await connect(address, { onFault: health.failed, onServer: health.watch })
  connection = opened
  return {
    setting: options.setting,
    keyPrefix: address.keyPrefix,
    /** True if the server of the key is available; without a key, if all servers are. */
    isAvailable(key?: string): boolean {
      const servers = key === undefined ? opened.servers() : [opened.serverOf(key)]
      return servers.length > 0 && servers.every(health.isAvailable)
    },
    /**
     * Sends a command with one key, and returns the reply.
     * @param key the key of the command. In a cluster, it chooses the server.
     * @throws UpstreamError if this server is away (at once), does not reply in half a second, or refuses the command.
     */
    run: <T>(key: string, command: (commands: RedisCommands) => Promise<T>): Promise<T> =>
      health.run(opened.serverOf(key), () => command(opened.commands)),
    /** Sends a command to one of the `servers()`. @throws UpstreamError as `run` does. */
    runOn: health.run,
    // Not by run(): a Redis user who may not use TIME is not an outage.
    async nowSeconds(): Promise<number> {
      const [server] = opened.servers()
      // node-redis would keep the command until Redis is back.
      const [seconds, micros] = server?.isReady ? await server.time() : []
      if (seconds === undefined) throw new UpstreamError('redis', `${options.setting}: Redis has no time yet`)
      return Number(seconds) + Number(micros) / 1e6
    },
    /** Returns all servers that hold keys: one, or the masters of a cluster. Empty if none was ever reached. */
    servers: () => opened.servers(),
    /** Closes the connection at once. Commands without a reply fail. */
    close: () => opened.close(),
  }
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
  const limits = { replyTimeoutMs: COMMAND_REPLY_MS }
  const link = await openRedisLink(address, { setting, without: 'the command fails', log, nowSeconds, ...limits })
  try {
    return await work(link)
  } finally {
    link.close()
  }
}

/**
 * Yields all keys with a prefix on all servers, in batches that do not block Redis. A key may come twice.
 * @param prefix without the pattern characters of Redis.
 * @throws UpstreamError if a server does not answer.
 */
export async function* keysByPrefix(link: RedisLink, prefix: string): AsyncGenerator<readonly string[]> {
  const servers = link.servers()
  for (const server of servers.length > 0 ? servers : [undefined]) {
    let cursor = '0'
    do {
      const page = await link.runOn(server, (client) => client.scan(cursor, { MATCH: `${prefix}*`, COUNT: SCAN_COUNT }))
      yield page.keys
      cursor = page.cursor
    } while (cursor !== '0')
  }
}

/** Yields the values of keys. Limits the commands that wait for a reply at once. @throws UpstreamError as `run` does. */
export async function* valuesOf({ run }: Pick<RedisLink, 'run'>, keys: readonly string[]): AsyncGenerator<string> {
  for (let from = 0; from < keys.length; from += READ_BATCH_SIZE) {
    const batch = keys.slice(from, from + READ_BATCH_SIZE)
    const values = await Promise.all(batch.map((key) => run(key, (commands) => commands.get(key))))
    yield* values.filter((value) => value !== null)
  }
}

/**
 * Deletes all keys with a prefix on all servers.
 * @returns the number of deleted keys.
 * @throws UpstreamError as `keysByPrefix` does. Some keys may be deleted then.
 */
export async function removeByPrefix(link: RedisLink, prefix: string): Promise<number> {
  let removed = 0
  for await (const keys of keysByPrefix(link, prefix)) removed += await removeKeys(link, keys)
  return removed
}

/** Deletes keys one by one, because they can be on different servers. Returns the number of deleted keys. */
export async function removeKeys({ run }: Pick<RedisLink, 'run'>, keys: readonly string[]): Promise<number> {
  const removed = await Promise.all(keys.map((key) => run(key, (commands) => commands.del(key))))
  return removed.reduce((sum, count) => sum + count, 0)
}
