import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { type ClientBase, Pool, type PoolConfig, type QueryResult } from 'pg'
import { z } from 'zod'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { createRemoteGuard } from '../remote/guard.ts'
import type { Warn } from '../user-store.ts'
import { describeFault, isStatementError } from './fault.ts'
import type { PostgresSettings } from './settings.ts'

/** A column of a result: its name, and the number of its type in PostgreSQL. */
export interface Column {
  readonly name: string
  readonly typeId: number
}

/** Runs statements on one connection. */
export type SqlClient = ReturnType<typeof sqlClient>

/**
 * A PostgreSQL server behind a connection pool and a guard. Each use has one timeout, which includes the wait for a
 * connection. A connection that is still busy after the timeout is closed.
 */
export type PostgresConnection = ReturnType<typeof connectPostgres>

export interface ConnectOptions {
  /** The store in errors and warnings. Default: `user-store`. */
  readonly store?: string
  readonly warn?: Warn
  /** Timeout of one use; by default the timeout in the settings. */
  readonly timeoutMs?: number
  /** How long the guard pauses after several failures. */
  readonly pauseMs?: number
}

const Clock = z.tuple([z.object({ seconds: z.number() })])
const FAILURES = 5
const CLOSE_MS = 1_000
/** Idle connections are closed: a server allows few, and other programs need them too. */
const IDLE_MS = 30_000

/** Creates the pool. The first use connects. */
export function connectPostgres(
  settings: PostgresSettings,
  { store = 'user-store', warn, timeoutMs = settings.timeoutMs, pauseMs }: ConnectOptions = {},
) {
  const sockets = new Set<Socket>()
  const pool = new Pool(poolOptions(settings, timeoutMs, sockets))
  // A lost idle connection is replaced at the next use. Without these listeners the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const guard = createRemoteGuard({
    store,
    timeoutMs,
    width: settings.poolSize,
    failures: Math.min(FAILURES, settings.poolSize),
    ...(warn ? { warn } : {}),
    ...(pauseMs === undefined ? {} : { pauseMs }),
  })
  let isClosed = false

  return {
    settings,
    /**
     * Runs the work on one connection of the pool.
     * @throws UpstreamError when the server does not answer within the timeout.
     * @throws OverloadedError when too many requests are waiting already.
     * @throws DatabaseError when the server refuses a statement.
     * @throws ConfigError when the work throws one.
     */
    use: <T>(work: (client: SqlClient) => Promise<T>): Promise<T> =>
      guard.run((signal) => withClient(pool, settings, store, signal, work)),
    /** Runs a health check ahead of the queue. @throws UpstreamError or DatabaseError as `use` does. */
    probe: (work: (client: SqlClient) => Promise<unknown>): Promise<void> =>
      guard.probe((signal) => withClient(pool, settings, store, signal, work)),
    /** Closes all connections. Takes one second at most, even if the server hangs. */
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      // pool.end() does not wait until the sockets are closed.
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      const ended = Promise.all([pool.end().catch(() => {}), ...closed])
      // Only open connections keep the process alive, not this timer.
      await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Returns the UNIX time of the server, in seconds. @throws UpstreamError as `use` does. */
export async function serverSeconds(connection: Pick<PostgresConnection, 'use'>): Promise<number> {
  const sql = 'SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds'
  const [{ seconds }] = Clock.parse(await connection.use((client) => client.rows(sql)))
  return seconds
}

/** Runs the work in a transaction. An error undoes all changes, and so does `commit: false`. */
export function inTransaction<T>(
  connection: PostgresConnection,
  work: (client: SqlClient) => Promise<T>,
  { readOnly = false, commit = true }: { readonly readOnly?: boolean; readonly commit?: boolean } = {},
): Promise<T> {
  return connection.use(async (client) => {
    await client.rows(readOnly ? 'BEGIN READ ONLY' : 'BEGIN')
    try {
      const result = await work(client)
      await client.rows(commit ? 'COMMIT' : 'ROLLBACK')
      return result
    } catch (error) {
      // After a connection error the server has rolled back already.
      if (isStatementError(error) || error instanceof ConfigError) await client.rows('ROLLBACK')
      throw error
    }
  })
}

async function withClient<T>(
  pool: Pool,
  settings: PostgresSettings,
  store: string,
  signal: AbortSignal,
  work: (client: SqlClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new UpstreamError(store, describeFault(cause, settings), { cause })
  })
  let isReleased = false
  const release = (error?: Error) => {
    if (isReleased) return
    isReleased = true
    client.release(error)
  }
  // Closes the connection after the timeout, because its next user would wait for the old statement.
  const discard = () => release(new Error('Timed out'))
  signal.addEventListener('abort', discard, { once: true })
  try {
    signal.throwIfAborted()
    const result = await work(sqlClient(client))
    release()
    return result
  } catch (cause) {
    if (isStatementError(cause) || cause instanceof ConfigError) {
      release()
      throw cause
    }
    release(cause instanceof Error ? cause : new Error('Failed'))
    throw new UpstreamError(store, describeFault(cause, settings), { cause })
  } finally {
    signal.removeEventListener('abort', discard)
  }
}

function sqlClient(client: ClientBase) {
  return {
    /** Returns the rows of a statement. @throws DatabaseError when the server refuses the statement. */
    async rows(sql: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
      const { rows }: QueryResult<object> = await client.query(sql, [...values])
      return rows
    },
    /** Returns the number of rows that a statement changed. @throws DatabaseError as `rows` does. */
    async changedRows(sql: string, values: readonly unknown[]): Promise<number> {
      return (await client.query(sql, [...values])).rowCount ?? 0
    },
    /** Returns the columns of a statement, and the number of its rows. @throws DatabaseError as `rows` does. */
    async columns(sql: string, values: readonly unknown[]) {
      const { fields, rows } = await client.query(sql, [...values])
      return { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rowCount: rows.length }
    },
  }
}

/** Sets every option, so that pg reads none from the PG… environment variables. */
function poolOptions(settings: PostgresSettings, timeoutMs: number, sockets: Set<Socket>): PoolConfig {
  const { host, port, database, user, password, poolSize } = settings
  return {
    host,
    port,
    database,
    user,
    // Without a password, pg would read ~/.pgpass.
    password: password ?? (() => ''),
    ssl: tlsOptions(settings),
    application_name: 'viewer-auth',
    max: poolSize,
    connectionTimeoutMillis: settings.timeoutMs,
    // The server cancels the statement too.
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
