import { hash } from 'node:crypto'
import { ConfigError, UpstreamError } from '../../errors.ts'
import type { Warn } from '../user-store.ts'
import { usernameKey } from '../viewer-fields.ts'
import { type Fields, faultInColumns, readFields, readViewer, selectFieldsOf, selectOf } from './columns.ts'
import { inTransaction, type PostgresAsker, type PostgresConnection } from './connection.ts'
import { isAnswer, isMissingPermission, isRefusedName } from './fault.ts'
import type { Loaded, PostgresTable } from './table.ts'

/** So many that one byte of a digest chooses among them. */
const STAND_INS = 256

type Query = NonNullable<PostgresConnection['settings']['query']>

/** The customer's own table, behind POSTGRES_QUERY. Nothing is written but a hash, where POSTGRES_REPLACE_HASH_QUERY is set. */
export function queriedTable(connection: PostgresConnection, query: Query, warn: Warn): PostgresTable {
  const select = selectFieldsOf(query.select)
  const { replaceHash } = query
  const standIns = createStandIns()

  async function load(key: string, username: string): Promise<Loaded> {
    const nobody: Loaded = { viewer: null, standIn: standIns.forKey(key) }
    const [row, second] = await askForName(connection, select, username, warn)
    if (row === undefined) return nobody
    if (second !== undefined) throw new UpstreamError('user-store', TWO_ROWS)
    const stored = readViewer(row)
    if (stored === null) return nobody
    if (usernameKey(stored.viewer.username) !== key) {
      warn(OTHER_NAME)
      return nobody
    }
    standIns.learn(key, stored.passwordHash)
    return { viewer: stored }
  }
  return {
    async check() {
      await inTransaction(connection, (ask) => tryOutSelect(ask, query.select), { isReadOnly: true, keeps: false })
      if (replaceHash === null) return
      await inTransaction(connection, (ask) => tryOutReplaceHash(ask, replaceHash), { keeps: false })
    },
    ping: (ask) => ask.rows(select, [null]),
    load,
    ...(replaceHash !== null && {
      replaceHash: (_key: string, oldHash: string, newHash: string, username: string) =>
        inTransaction(connection, (ask) => replaceOneHash(ask, replaceHash, [username, oldHash, newHash])),
    }),
  }
}

const TWO_ROWS =
  'POSTGRES_QUERY returned more than one row for one user name: it must compare the whole name, and names must be unique'
const OTHER_NAME =
  'POSTGRES_QUERY returned a viewer of another name than the one typed, who is not let in: it must compare the whole ' +
  'name, and return it as username.'

/** No rows where the server refuses the name itself, which a guesser may type: that is no failure of the store. */
async function askForName(
  connection: PostgresConnection,
  select: string,
  username: string,
  warn: Warn,
): Promise<readonly Fields[]> {
  try {
    return readFields(await connection.use((ask) => ask.rows(select, [username])))
  } catch (cause) {
    if (isRefusedName(cause)) {
      warn('The database cannot read a user name that was typed, so it is taken for a name that nobody has.', cause)
      return []
    }
    if (!isAnswer(cause)) throw cause
    throw new UpstreamError('user-store', `POSTGRES_QUERY failed: ${cause.message}`, { cause })
  }
}

async function tryOutSelect(ask: PostgresAsker, query: string): Promise<void> {
  const { columns, rowCount } = await tryOut('POSTGRES_QUERY', () => ask.columns(selectOf(query), [null]))
  if (rowCount > 0) {
    throw new ConfigError('POSTGRES_QUERY returns a row for no user name at all: it must compare the name with $1.')
  }
  const fault = faultInColumns(columns)
  if (fault !== null) throw new ConfigError(`POSTGRES_QUERY ${fault}`)
}

async function tryOutReplaceHash(ask: PostgresAsker, replaceHash: string): Promise<void> {
  const changed = await tryOut('POSTGRES_REPLACE_HASH_QUERY', () => ask.changed(replaceHash, [null, null, null]))
  if (changed > 0) {
    throw new ConfigError(
      'POSTGRES_REPLACE_HASH_QUERY changes rows for no user name at all: it must compare the name with $1 and the old ' +
        'hash with $2, and set $3.',
    )
  }
}

/** @throws ConfigError, and the transaction is undone, where others would have this viewer's password from now on. */
async function replaceOneHash(ask: PostgresAsker, replaceHash: string, values: readonly string[]): Promise<void> {
  const changed = await ask.changed(replaceHash, values)
  if (changed <= 1) return
  throw new ConfigError(
    `POSTGRES_REPLACE_HASH_QUERY changed ${changed} rows for one user name, and was undone: it must compare the whole ` +
      'name with $1 and the old hash with $2, and names must be unique.',
  )
}

/** @throws ConfigError with the server's own words, which name what is wrong: a column, a table, a missing right. */
async function tryOut<T>(setting: string, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement()
  } catch (cause) {
    if (!isAnswer(cause)) throw cause
    const advice = isMissingPermission(cause) ? '; GRANT it to the role in USER_STORE_URL' : ''
    throw new ConfigError(`${setting} is refused by the database: ${cause.message}${advice}.`, { cause })
  }
}

interface StandIns {
  forKey(key: string): string | null
  learn(key: string, passwordHash: string): void
}

/**
 * Hashes of viewers who were asked for, to be verified for names that nobody has. A query cannot be asked for anybody's.
 * Each place keeps its first viewer, so that one name takes the same time again and again.
 */
function createStandIns(): StandIns {
  const places = new Map<number, { readonly key: string; readonly passwordHash: string }>()
  const placeOfKey = (key: string) => Number.parseInt(hash('sha256', key, 'hex').slice(0, 2), 16) % STAND_INS
  return {
    forKey(key) {
      const place = placeOfKey(key)
      for (let step = 0; step < STAND_INS && places.size > 0; step += 1) {
        const found = places.get((place + step) % STAND_INS)
        if (found) return found.passwordHash
      }
      return null
    },
    learn(key, passwordHash) {
      const place = placeOfKey(key)
      const there = places.get(place)
      if (!there || there.key === key) places.set(place, { key, passwordHash })
    },
  }
}
