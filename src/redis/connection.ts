import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { RedisAddress } from './address.ts'

/** A connection to one server. */
export type RedisClient = ReturnType<typeof clientFor>

/** Commands with a key. In a cluster, they go to the server of the key. */
export type RedisCommands = Pick<RedisClient, 'del' | 'eval' | 'get' | 'getDel' | 'set' | 'zRange' | 'zRem'>

/** The connection to a server or to all servers of a cluster. It reconnects by itself. */
export interface RedisConnection {
  readonly commands: RedisCommands
  /** Returns the connection to the server of a key; undefined while there is none. */
  serverOf(key: string): RedisClient | undefined
  /** Returns the connections to all servers that hold keys, undefined for each that was never reached. */
  servers(): readonly (RedisClient | undefined)[]
  /** Closes the connection at once. Commands without a reply fail. */
  close(): void
}

export interface ConnectionEvents {
  readonly onFault: (fault: unknown) => void
  /** Called with each new connection to a server, before its first command. */
  readonly onServer: (server: RedisClient) => void
}

const CONNECT_TIMEOUT_MS = 2_000
export const WAIT_AT_START_MS = 1_500
const PING_EVERY_MS = 1_000
/** A connection without data for this long is replaced. A working Redis sends data at each ping. */
const SOCKET_TIMEOUT_MS = 3_000
const LONGEST_PAUSE_MS = 2_000

/** Resolves when the server answers, or after 1.5 s without an answer. */
export async function connectToServer(
  address: RedisAddress,
  { onFault, onServer }: ConnectionEvents,
): Promise<RedisConnection> {
  const client = clientFor(address).on('error', onFault)
  onServer(client)
  // Rejects only when the connection is closed. Until then node-redis retries and emits each failure as an event.
  await endOrTime(WAIT_AT_START_MS, client.connect())
  return {
    commands: client,
    serverOf: () => client,
    servers: () => [client],
    close() {
      client.removeListener('error', onFault).on('error', () => {})
      client.destroy()
    },
  }
}

/** Waits until the work ends, or until the time is over. */
export async function endOrTime(waitMs: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => {}), sleep(waitMs, undefined, { ref: false })])
}

function clientFor(address: RedisAddress) {
  const { database, nodes } = address
  const { socket, ...options } = clientOptions(address)
  const [node] = nodes
  return createClient({ ...options, database, socket: { ...socket, ...node } })
}

/** The options of every connection to a server, without its host and port. */
export function clientOptions({ username, password, tls }: RedisAddress) {
  const common = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    reconnectStrategy: pauseBeforeRetry,
  }
  const authority = tls === null || tls.authority === null ? {} : { ca: tls.authority }
  return {
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    socket: tls === null ? common : { ...common, tls: true as const, rejectUnauthorized: true, ...authority },
    // Commands fail during an outage instead of waiting for its end.
    disableOfflineQueue: true,
    // node-redis pings again only after a reply, so a dead connection reaches its socket timeout.
    pingInterval: PING_EVERY_MS,
    maintNotifications: 'disabled' as const,
  }
}

/** Returns an exponential delay up to two seconds, with jitter, because all copies of the app reconnect together. */
function pauseBeforeRetry(retries: number): number {
  return Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
}
