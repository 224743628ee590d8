import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { type ClientBase, Pool, type PoolConfig, type QueryResult } from 'pg'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { createRemoteGuard } from '../remote/guard.ts'
import type { Warn } from '../user-store.ts'
import { describeFault, isAnswer } from './fault.ts'
import type { PostgresSettings } from './settings.ts'

/** A column of an answer: its name, and the number of its type in PostgreSQL. */
export interface Column {
  readonly name: string
  readonly typeId: number
}

/** What can be asked on one connection. */
export interface PostgresAsker {
  /** The rows of one statement. @throws DatabaseError when the server refuses the statement. */
  rows(sql: string, values?: readonly unknown[]): Promise<readonly unknown[]>
  /** The columns of one statement, and how many rows it has. @throws DatabaseError when the server refuses the statement. */
  columns(sql: string, values: readonly unknown[]): Promise<{ columns: readonly Column[]; rowCount: number }>
  /** How many rows a statement changed. @throws DatabaseError when the server refuses the statement. */
  changed(sql: string, values: readonly unknown[]): Promise<number>
}

/**
 * The server, over a pool of connections and behind a guard. Each use has one bounded time, waiting for a connection
 * included, and a connection on which something is still under way then is closed.
 */
export interface PostgresConnection {
  readonly settings: PostgresSettings
  /**
   * Works on one connection of the pool.
   * @throws UpstreamError when the server does not answer in time, or not at all.
   * @throws OverloadedError when too many wait for it already.
   * @throws DatabaseError when the server refuses a statement.
   * @throws ConfigError of the work, as it is.
   */
  use<T>(work: (ask: PostgresAsker) => Promise<T>): Promise<T>
  /** The same for readiness, past those that wait. @throws UpstreamError or DatabaseError, as `use` does. */
  probe(work: (ask: PostgresAsker) => Promise<unknown>): Promise<void>
  /** Ends all connections, in a second at most even where the server hangs. */
  close(): Promise<void>
}

export interface ConnectOptions {
  readonly warn?: Warn
  /** For one use; the settings' own where it is not given, which is also the time for making a connection. */
  readonly timeoutMs?: number
  /** For how long the server is left alone after it failed several times. */
  readonly pauseMs?: number
}

const FAILURES = 5
const GOODBYE_MS = 1_000
/** A connection in the pool that nobody needs is given back: the database has few, and other programs too. */
const IDLE_MS = 30_000

/** Makes no connection yet: the first use does. */
export function connectPostgres(
  settings: PostgresSettings,
  { warn, timeoutMs = settings.timeoutMs, pauseMs }: ConnectOptions = {},
): PostgresConnection {
  const sockets = new Set<Socket>()
  const pool = new Pool(poolOptions(settings, timeoutMs, sockets))
  // A connection that is lost between two uses is made anew by the next one; without these listeners it ends the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const guard = createRemoteGuard({
    timeoutMs,
    width: settings.poolSize,
    failures: Math.min(FAILURES, settings.poolSize),
    ...(warn ? { warn } : {}),
    ...(pauseMs === undefined ? {} : { pauseMs }),
  })
  let isClosed = false

  return {
    settings,
    use: (work) => guard.run((signal) => onClient(pool, settings, signal, work)),
    probe: (work) => guard.probe((signal) => onClient(pool, settings, signal, work)),
    async close() {
      if (isClosed) return
      isClosed = true
      // The pool does not wait for the server to close them, and a server that hangs never would.
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      const ended = Promise.all([pool.end().catch(() => {}), ...closed])
      // The open connections alone keep the process waiting: a command is not held up by the timer.
      await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Works in a transaction: after it all is there that was asked for, or nothing. */
export function inTransaction<T>(
  connection: PostgresConnection,
  work: (ask: PostgresAsker) => Promise<T>,
  { isReadOnly = false, keeps = true }: { readonly isReadOnly?: boolean; readonly keeps?: boolean } = {},
): Promise<T> {
  return connection.use(async (ask) => {
    await ask.rows(isReadOnly ? 'BEGIN READ ONLY' : 'BEGIN')
    try {
      const result = await work(ask)
      await ask.rows(keeps ? 'COMMIT' : 'ROLLBACK')
      return result
    } catch (error) {
      // On a connection that is broken the server has forgotten the transaction already.
      if (isAnswer(error) || error instanceof ConfigError) await ask.rows('ROLLBACK')
      throw error
    }
  })
}

async function onClient<T>(
  pool: Pool,
  settings: PostgresSettings,
  signal: AbortSignal,
  work: (ask: PostgresAsker) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new UpstreamError('user-store', describeFault(cause, settings), { cause })
  })
  let isReleased = false
  const release = (error?: Error) => {
    if (isReleased) return
    isReleased = true
    client.release(error)
  }
  // Nobody waits for the answer any more; on a connection with a question under way the next one would wait for it.
  const abandon = () => release(new Error('The time is over'))
  signal.addEventListener('abort', abandon, { once: true })
  try {
    signal.throwIfAborted()
    const result = await work(askerOf(client))
    release()
    return result
  } catch (cause) {
    if (isAnswer(cause) || cause instanceof ConfigError) {
      release()
      throw cause
    }
    release(cause instanceof Error ? cause : new Error('Failed'))
    throw new UpstreamError('user-store', describeFault(cause, settings), { cause })
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

function askerOf(client: ClientBase): PostgresAsker {
  return {
    async rows(sql, values = []) {
      const { rows }: QueryResult<object> = await client.query(sql, [...values])
      return rows
    },
    async changed(sql, values) {
      return (await client.query(sql, [...values])).rowCount ?? 0
    },
    async columns(sql, values) {
      const { fields, rows } = await client.query(sql, [...values])
      return { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rowCount: rows.length }
    },
  }
}

/** Everything is said, so that nothing is taken from the PG… variables of the environment, which libpq has. */
function poolOptions(settings: PostgresSettings, timeoutMs: number, sockets: Set<Socket>): PoolConfig {
  const { host, port, database, user, password, poolSize } = settings
  return {
    host,
    port,
    database,
    user,
    // Without one, pg would look for a file of passwords.
    password: password ?? (() => ''),
    ssl: tlsOptions(settings),
    application_name: 'viewer-auth',
    max: poolSize,
    connectionTimeoutMillis: settings.timeoutMs,
    // So that the server, too, gives up what nobody waits for.
    statement_timeout: timeoutMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  }
}

function tlsOptions({ tls }: PostgresSettings): false | ConnectionOptions {
  if (tls === null) return false
  return {
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  }
}
