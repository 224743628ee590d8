import { hash } from 'node:crypto'
import { z } from 'zod'
import { ConfigError, UpstreamError } from '../../errors.ts'
import type { Warn } from '../passwords/verify-sign-in.ts'
import { usernameKey } from '../viewer-fields.ts'
import { type AnswerShape, readShape, readViewer } from './columns.ts'
import { inTransaction, type PostgresAsker, type PostgresConnection, type TextAnswer } from './connection.ts'
import { isAnswer, isMissingPermission, isRefusedName } from './fault.ts'
import type { Loaded, PostgresTable } from './table.ts'

/** So many that one byte of a digest chooses among them. */
const STAND_INS = 256
const CategoryRows = z.array(z.object({ oid: z.coerce.number(), typcategory: z.string() }))

type Query = NonNullable<PostgresConnection['settings']['query']>

/** The customer's own table, behind POSTGRES_QUERY. Nothing is written but a hash, where POSTGRES_REPLACE_HASH_QUERY is set. */
export function queriedTable(connection: PostgresConnection, query: Query, warn: Warn): PostgresTable {
  // A second row tells enough, whatever the query finds. The line break ends a comment.
  const select = `SELECT * FROM (\n${query.select}\n) AS viewer LIMIT 2`
  const { replaceHash } = query
  const standIns = createStandIns()
  let shape: AnswerShape | null = null

  async function shapeFor({ columns }: TextAnswer): Promise<AnswerShape> {
    // The table may be changed while the app runs.
    if (!shape?.isOf(columns)) shape = await connection.use((ask) => askForShape(ask, columns)).catch(asUpstreamError)
    return shape
  }
  async function load(key: string, username: string): Promise<Loaded> {
    const nobody: Loaded = { viewer: null, standIn: standIns.forKey(key) }
    const answer = await askForName(connection, select, username, warn)
    const [row, second] = answer?.rows ?? []
    if (answer === null || row === undefined) return nobody
    if (second !== undefined) throw new UpstreamError('user-store', TWO_ROWS)
    const stored = readViewer(row, await shapeFor(answer))
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
      shape = await inTransaction(connection, (ask) => tryOutSelect(ask, select), { isReadOnly: true, keeps: false })
      if (replaceHash === null) return
      await inTransaction(connection, (ask) => tryOutReplaceHash(ask, replaceHash), { keeps: false })
    },
    ping: (ask) => ask.text(select, [null]),
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

/** Null where the server refuses the name itself, which a guesser may type: that is no failure of the store. */
async function askForName(
  connection: PostgresConnection,
  select: string,
  username: string,
  warn: Warn,
): Promise<TextAnswer | null> {
  try {
    return await connection.use((ask) => ask.text(select, [username]))
  } catch (cause) {
    if (isRefusedName(cause)) {
      warn('The database cannot read a user name that was typed, so it is taken for a name that nobody has.', cause)
      return null
    }
    if (!isAnswer(cause)) throw cause
    throw new UpstreamError('user-store', `POSTGRES_QUERY failed: ${cause.message}`, { cause })
  }
}

async function tryOutSelect(ask: PostgresAsker, select: string): Promise<AnswerShape> {
  const answer = await tryOut('POSTGRES_QUERY', () => ask.text(select, [null]))
  if (answer.rows.length > 0) {
    throw new ConfigError('POSTGRES_QUERY returns a row for no user name at all: it must compare the name with $1.')
  }
  return await askForShape(ask, answer.columns)
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

async function askForShape(ask: PostgresAsker, columns: TextAnswer['columns']): Promise<AnswerShape> {
  const typeIds = columns.map(({ typeId }) => typeId)
  const rows = await ask.rows('SELECT oid, typcategory FROM pg_catalog.pg_type WHERE oid = ANY($1::oid[])', [typeIds])
  const categories = new Map(CategoryRows.parse(rows).map(({ oid, typcategory }) => [oid, typcategory]))
  const shape = readShape(columns, categories)
  if ('fault' in shape) throw new ConfigError(`POSTGRES_QUERY ${shape.fault}`)
  return shape
}

function asUpstreamError(cause: unknown): never {
  if (cause instanceof ConfigError) throw new UpstreamError('user-store', cause.message, { cause })
  throw cause
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
