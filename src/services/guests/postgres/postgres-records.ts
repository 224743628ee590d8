import { UpstreamError } from '../../../errors.ts'
import { runInSteps } from '../../../users/own-tables/sql-work.ts'
import { connectPostgres, inTransaction, serverSeconds } from '../../../users/postgres/connection.ts'
import { refusalAsUpstreamError } from '../../../users/postgres/fault.ts'
import type { PostgresSettings } from '../../../users/postgres/settings.ts'
import type { GuestStore } from '../guest-records.ts'
import { ownRecords, type RecordTable } from '../own-records.ts'
import type { OpenStoreDeps } from '../record-store-kind.ts'
import { prepareTables } from './tables.ts'

const COMMAND_TIMEOUT_MS = 60_000

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
  const table: RecordTable = {
    name: 'viewer_guests.records',
    nextVersion: "SELECT nextval('viewer_guests.versions') AS number",
    // Those rows may get a new end.
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    run: (work) => runInSteps(work, (sql, ...values) => using(() => connection.use((one) => one.rows(sql, values)))),
    change: (work) =>
      using(() => inTransaction(connection, (one) => runInSteps(work, (sql, ...values) => one.rows(sql, values)))),
  }
  return {
    ...ownRecords(table, nowSeconds),
    checkHealth: () => using(() => connection.probe((client) => client.rows('SELECT 1'))),
    isAvailable: () => isAvailable,
    nowSeconds: () => serverSeconds(connection),
    close: () => connection.close(),
  }
}
