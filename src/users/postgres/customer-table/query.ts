import { hash } from 'node:crypto'
import { ConfigError, UpstreamError } from '../../../errors.ts'
import type { Warn } from '../../user-store.ts'
import { usernameKey } from '../../viewer-fields.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../connection.ts'
import { isMissingPermission, isRefusedName, isStatementError } from '../fault.ts'
import type { Loaded, PostgresTable } from '../table.ts'
import { type Fields, faultInColumns, readFields, readViewer, selectFieldsOf, selectOf } from './columns.ts'

/** One decoy hash for each value of a digest's first byte. */
const DECOYS = 256

type Query = NonNullable<PostgresConnection['settings']['query']>

/** The customer's own table, read by POSTGRES_QUERY. Only POSTGRES_REPLACE_HASH_QUERY changes it. */
export function queriedTable(connection: PostgresConnection, query: Query, warn: Warn): PostgresTable {
  const select = selectFieldsOf(query.select)
  const { replaceHash } = query
  const decoys = createDecoyHashes()

  async function load(key: string, username: string): Promise<Loaded> {
    const unknown: Loaded = { viewer: null, decoyHash: decoys.forKey(key) }
    const [row, second] = await selectViewer(connection, select, username, warn)
    if (row === undefined) return unknown
    if (second !== undefined) throw new UpstreamError('user-store', TWO_ROWS)
    const stored = readViewer(row)
    if (stored === null) return unknown
    if (usernameKey(stored.viewer.username) !== key) {
      warn(OTHER_NAME)
      return unknown
    }
    decoys.learn(key, stored.passwordHash)
    return { viewer: stored }
  }
  return {
    async check() {
      await inTransaction(connection, (client) => tryOutSelect(client, query.select), { readOnly: true, commit: false })
      if (replaceHash === null) return
      await inTransaction(connection, (client) => tryOutReplaceHash(client, replaceHash), { commit: false })
    },
    ping: (client) => client.rows(select, [null]),
    load,
    find: async (key, username) => (await load(key, username)).viewer,
    ...(replaceHash !== null && {
      replaceHash: (_key: string, oldHash: string, newHash: string, username: string) =>
        inTransaction(connection, (client) => replaceOneHash(client, replaceHash, [username, oldHash, newHash])),
    }),
  }
}

const TWO_ROWS =
  'POSTGRES_QUERY returned more than one row for one user name. Compare the whole name, and make names unique'
const OTHER_NAME =
  'POSTGRES_QUERY returned another user name than the one typed, so the sign-in was refused. Compare the whole name, ' +
  'and return it as username.'

/** Returns no rows if the server refuses the name: such a name is unknown, and the store has not failed. */
async function selectViewer(
  connection: PostgresConnection,
  select: string,
  username: string,
  warn: Warn,
): Promise<readonly Fields[]> {
  try {
    return readFields(await connection.use((client) => client.rows(select, [username])))
  } catch (cause) {
    if (isRefusedName(cause)) {
      warn('The database cannot read the user name that was typed. The app treats the user as unknown.', cause)
      return []
    }
    if (!isStatementError(cause)) throw cause
    throw new UpstreamError('user-store', `POSTGRES_QUERY failed: ${cause.message}`, { cause })
  }
}

async function tryOutSelect(client: SqlClient, query: string): Promise<void> {
  const { columns, rowCount } = await tryOut('POSTGRES_QUERY', () => client.columns(selectOf(query), [null]))
  if (rowCount > 0) {
    throw new ConfigError('POSTGRES_QUERY returns a row when the user name is NULL. Compare the name with $1.')
  }
  const fault = faultInColumns(columns)
  if (fault !== null) throw new ConfigError(`POSTGRES_QUERY ${fault}`)
}

async function tryOutReplaceHash(client: SqlClient, replaceHash: string): Promise<void> {
  const changed = await tryOut('POSTGRES_REPLACE_HASH_QUERY', () => client.changedRows(replaceHash, [null, null, null]))
  if (changed > 0) {
    throw new ConfigError(
      'POSTGRES_REPLACE_HASH_QUERY changes rows when the user name is NULL. Compare the name with $1 and the old hash ' +
        'with $2, and set the hash to $3.',
    )
  }
}

/** @throws ConfigError if several rows changed, since other viewers would then have this viewer's password. */
async function replaceOneHash(client: SqlClient, replaceHash: string, values: readonly string[]): Promise<void> {
  const changed = await client.changedRows(replaceHash, values)
  if (changed <= 1) return
  throw new ConfigError(
    `POSTGRES_REPLACE_HASH_QUERY changed ${changed} rows for one user name, and was rolled back. Compare the whole name ` +
      'with $1 and the old hash with $2, and make names unique.',
  )
}

/** @throws ConfigError with the server's message, which names the wrong column, table or permission. */
async function tryOut<T>(setting: string, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement()
  } catch (cause) {
    if (!isStatementError(cause)) throw cause
    const advice = isMissingPermission(cause) ? ' GRANT it to the role in USER_STORE_URL.' : ''
    throw new ConfigError(`PostgreSQL rejects ${setting}: ${cause.message}.${advice}`, { cause })
  }
}

/**
 * Collects hashes of loaded viewers as decoys for unknown users, because the customer's query cannot select any viewer.
 * A slot keeps its first viewer, so that an unknown name always takes the same time.
 */
function createDecoyHashes() {
  const slots = new Map<number, { readonly key: string; readonly passwordHash: string }>()
  const slotOf = (key: string) => Number.parseInt(hash('sha256', key, 'hex').slice(0, 2), 16) % DECOYS
  return {
    forKey(key: string): string | null {
      const slot = slotOf(key)
      for (let step = 0; step < DECOYS && slots.size > 0; step += 1) {
        const decoy = slots.get((slot + step) % DECOYS)
        if (decoy) return decoy.passwordHash
      }
      return null
    },
    learn(key: string, passwordHash: string): void {
      const slot = slotOf(key)
      const current = slots.get(slot)
      if (!current || current.key === key) slots.set(slot, { key, passwordHash })
    },
  }
}
