import { z } from 'zod'
import { ConfigError, UpstreamError } from '../../../errors.ts'
import {
  connectPostgres,
  inTransaction,
  type PostgresConnection,
  type SqlClient,
  serverSeconds,
} from '../../../users/postgres/connection.ts'
import { refusalAsUpstreamError } from '../../../users/postgres/fault.ts'
import type { PostgresSettings } from '../../../users/postgres/settings.ts'
import {
  assertRecord,
  boundsOf,
  type GuestStore,
  MOST_PRUNED,
  orderedWrites,
  type RecordWrite,
} from '../guest-records.ts'
import type { OpenStoreDeps } from '../record-store-kind.ts'
import { prepareTables } from './tables.ts'

const COMMAND_TIMEOUT_MS = 60_000

const Row = z
  .object({ key: z.string(), text: z.string(), version: z.coerce.number(), ends_at: z.number().nullable() })
  .transform(({ ends_at, ...row }) => ({ ...row, endsAtSeconds: ends_at }))
const Numbered = z.tuple([z.object({ number: z.coerce.number() })])

const COLUMNS = 'key, text, version, ends_at'
const LIVES = '(ends_at IS NULL OR ends_at > $1)'
const PAGE = `kind = $2 AND key >= $3 AND key < $4 AND ${LIVES}`
const SELECT = `SELECT ${COLUMNS} FROM viewer_guests.records WHERE kind = $2 AND key = $3 AND ${LIVES}`
const LIST = `SELECT ${COLUMNS} FROM viewer_guests.records WHERE ${PAGE} AND key > $5 ORDER BY key LIMIT $6`
const COUNT = `SELECT count(*) AS number FROM viewer_guests.records WHERE ${PAGE}`
const PUT = `INSERT INTO viewer_guests.records AS own (kind, key, text, version, ends_at) VALUES ($2, $3, $4, $5, $6)
  ON CONFLICT (kind, key) DO UPDATE SET text = $4, version = $5, ends_at = $6`
/** Applies only if the record is absent, or has ended. */
const ADD = `${PUT} WHERE own.ends_at <= $1`
const PUT_ALWAYS = `${PUT} WHERE $1::double precision IS NOT NULL`
const REPLACE = `UPDATE viewer_guests.records SET text = $4, version = $5, ends_at = $6
  WHERE kind = $2 AND key = $3 AND version = $7 AND ${LIVES}`
const REMOVE = 'DELETE FROM viewer_guests.records WHERE kind = $1 AND key = $2'
const REMOVE_VERSION = `DELETE FROM viewer_guests.records WHERE kind = $2 AND key = $3 AND version = $4 AND ${LIVES}`
/** Leaves out records that another copy deletes or writes again at this moment: they may have a new end. */
const PRUNE = `DELETE FROM viewer_guests.records WHERE (kind, key) IN
  (SELECT kind, key FROM viewer_guests.records WHERE ends_at <= $1 AND ($2::text IS NULL OR kind = $2)
    LIMIT ${MOST_PRUNED} FOR UPDATE SKIP LOCKED)`

/** Undoes the transaction. */
class ConditionFailed extends ConfigError {}

/** Opens the store. The first use connects, and creates the table if it is missing. */
export function openPostgresRecords(
  settings: PostgresSettings,
  { nowSeconds, warn, isCommand = false }: OpenStoreDeps,
): GuestStore {
  const timeoutMs = isCommand ? COMMAND_TIMEOUT_MS : settings.timeoutMs
  const connection = connectPostgres(settings, { store: 'guest-store', timeoutMs, ...(warn && { warn }) })
  let isAvailable = true
  let isPrepared = false

  async function using<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!isPrepared) await refusalAsUpstreamError(prepareTables(connection))
      isPrepared = true
      const result = await refusalAsUpstreamError(work())
      isAvailable = true
      return result
    } catch (cause) {
      if (cause instanceof UpstreamError) {
        isAvailable = false
        throw new UpstreamError('guest-store', `GUESTS_STORE_URL: ${cause.message}`, { cause })
      }
      throw cause
    }
  }
  const rows = (sql: string, values: readonly unknown[]) => using(() => connection.use((one) => one.rows(sql, values)))

  return {
    async read(kind, key) {
      assertRecord(kind, key)
      return Row.array().parse(await rows(SELECT, [nowSeconds(), kind, key]))[0] ?? null
    },
    async list(kind, { prefix = '', after, limit }) {
      const bounds = boundsOf(kind, prefix, after)
      const values = [nowSeconds(), kind, bounds.from, bounds.before, bounds.after, limit]
      return Row.array().parse(await rows(LIST, values))
    },
    async count(kind, prefix = '') {
      const { from, before } = boundsOf(kind, prefix)
      return Numbered.parse(await rows(COUNT, [nowSeconds(), kind, from, before]))[0].number
    },
    async write(writes) {
      const ordered = orderedWrites(writes)
      return await using(() => writeAll(connection, ordered, nowSeconds()))
    },
    checkHealth: () => using(() => connection.probe((client) => client.rows('SELECT 1'))),
    prune: (kind = null) => using(() => connection.use((client) => client.changedRows(PRUNE, [nowSeconds(), kind]))),
    isAvailable: () => isAvailable,
    nowSeconds: () => serverSeconds(connection),
    close: () => connection.close(),
  }
}

/** Applies one step. Returns false if its condition does not hold. */
async function apply(client: SqlClient, write: RecordWrite, version: number, now: number): Promise<boolean> {
  const { kind, key, text, endsAtSeconds = null, if: condition } = write
  const run = (sql: string, ...values: unknown[]) => client.changedRows(sql, values)
  if (text === null) {
    if (condition !== undefined) return (await run(REMOVE_VERSION, now, kind, key, condition)) === 1
    await run(REMOVE, kind, key)
    return true
  }
  const record = [kind, key, text, version, endsAtSeconds]
  if (condition === undefined) return (await run(PUT_ALWAYS, now, ...record)) === 1
  if (condition === 'absent') return (await run(ADD, now, ...record)) === 1
  return (await run(REPLACE, now, ...record, condition)) === 1
}

async function writeAll(
  connection: PostgresConnection,
  writes: readonly RecordWrite[],
  now: number,
): Promise<number | null> {
  try {
    return await inTransaction(connection, async (client) => {
      const [{ number }] = Numbered.parse(await client.rows("SELECT nextval('viewer_guests.versions') AS number"))
      for (const write of writes) if (!(await apply(client, write, number, now))) throw new ConditionFailed()
      return number
    })
  } catch (error) {
    if (error instanceof ConditionFailed) return null
    throw error
  }
}
