import { z } from 'zod'
import { hasAllRights } from '../own-tables/rights.ts'
import type { SqlWork } from '../own-tables/sql-work.ts'
import { keyOf, lockViewer, type ViewerTables } from '../own-tables/viewer-tables.ts'
import { passwordVersionOf } from '../passwords/verify-sign-in.ts'
import {
  type FoundPasskey,
  MOST_PASSKEYS,
  type NewPasskey,
  newUserHandle,
  type Passkey,
  type PasskeyAddition,
  PasskeyRow,
  type PasskeyStore,
  type PasskeyUse,
  type PasskeyUseOutcome,
} from './passkey-store.ts'

const COLUMNS = `
  id, public_key AS "publicKey", counter, device_type AS "deviceType", is_backed_up AS "isBackedUp", transports, name,
  created_at AS "createdAtSeconds", last_used_at AS "lastUsedAtSeconds"`

/** Only passkeys of viewers who are not disabled count. */
const ENABLED = 'NOT disabled'

const instead = 'set PASSKEYS=off'
const NEEDED_RIGHTS = [
  { table: 'passkeys', rights: ['INSERT', 'UPDATE', 'DELETE'], instead },
  { table: 'passkey_handles', rights: ['INSERT'], instead },
]

const HandleRow = z.object({ handle: z.string() })
const OwnerRow = HandleRow.extend({ username: z.string() })
const CountRow = z.tuple([z.object({ count: z.coerce.number() })])

/** Keeps the passkeys of viewers in tables of this app. */
export function ownPasskeys(tables: ViewerTables, assertRights = hasAllRights): PasskeyStore {
  const { run, change } = tables
  const read = passkeyReader(tables)
  return {
    assertAllowed: () => assertRights(...NEEDED_RIGHTS),
    userHandleOf: (username) => run(userHandleOf(tables, username)),
    list: (username) => run(list(tables, read, username)),
    find: (id) => run(find(tables, read, id)),
    add: (username, passkey, passwordVersion) => change(add(tables, username, passkey, passwordVersion)),
    recordUse: (id, use) => run(recordUse(tables, read, id, use)),
    remove: (username, id) => run(remove(tables, username, id)),
  }
}

function* userHandleOf({ schema }: ViewerTables, username: string): SqlWork<string | null> {
  const key = keyOf(username)
  const select = `
    SELECT handle FROM ${schema}.passkey_handles JOIN ${schema}.viewers USING (key) WHERE key = $1 AND ${ENABLED}`
  const insert = `
    INSERT INTO ${schema}.passkey_handles (key, handle) SELECT key, $2 FROM ${schema}.viewers
    WHERE key = $1 AND ${ENABLED} ON CONFLICT (key) DO NOTHING`
  let [row] = yield [select, key]
  if (row === undefined) {
    yield [insert, key, newUserHandle()]
    row = (yield [select, key])[0]
  }
  return HandleRow.optional().parse(row)?.handle ?? null
}

function* list({ schema }: ViewerTables, read: ReadPasskey, username: string): SqlWork<Passkey[]> {
  const sql = `SELECT ${COLUMNS} FROM ${schema}.passkeys WHERE key = $1 ORDER BY created_at, id`
  return (yield [sql, keyOf(username)]).map(read)
}

function* find({ schema }: ViewerTables, read: ReadPasskey, id: string): SqlWork<FoundPasskey | null> {
  if (!isPasskeyId(id)) return null
  const sql = `
    SELECT ${COLUMNS}, username, handle FROM ${schema}.passkeys JOIN ${schema}.viewers USING (key)
    JOIN ${schema}.passkey_handles USING (key) WHERE id = $1 AND ${ENABLED}`
  const [row] = yield [sql, id]
  if (row === undefined) return null
  const { username, handle: userHandle } = OwnerRow.parse(row)
  return { passkey: read(row), username, userHandle }
}

function* add(
  tables: ViewerTables,
  username: string,
  { id, publicKey, counter, deviceType, isBackedUp, transports, name, createdAtSeconds }: NewPasskey,
  passwordVersion: string | undefined,
): SqlWork<PasskeyAddition> {
  const { schema } = tables
  const stored = yield* lockViewer(tables, username)
  if (stored === null || stored.disabled) return 'no-viewer'
  const version = passwordVersionOf(stored.passwordHash)
  if (version !== (passwordVersion ?? version)) return 'password-changed'
  const key = keyOf(username)
  const [{ count }] = CountRow.parse(yield [`SELECT count(*) AS count FROM ${schema}.passkeys WHERE key = $1`, key])
  if (count >= MOST_PASSKEYS) return 'too-many'
  const sql = `
    INSERT INTO ${schema}.passkeys
      (key, id, public_key, counter, device_type, is_backed_up, transports, name, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING RETURNING id`
  const created = Math.floor(createdAtSeconds)
  const added = yield [sql, key, id, publicKey, counter, deviceType, isBackedUp, transports, name, created]
  return added.length === 0 ? 'known' : 'added'
}

function* recordUse(
  tables: ViewerTables,
  read: ReadPasskey,
  id: string,
  { counter, isBackedUp, usedAtSeconds }: PasskeyUse,
): SqlWork<PasskeyUseOutcome> {
  const { schema } = tables
  if (!isPasskeyId(id)) return 'unknown'
  const sql = `
    UPDATE ${schema}.passkeys SET counter = $2, is_backed_up = $3, last_used_at = $4 FROM ${schema}.viewers
    WHERE id = $1 AND viewers.key = passkeys.key AND ${ENABLED} AND (counter < $2 OR counter = 0 AND $2 = 0)
    RETURNING id`
  const used = yield [sql, id, counter, isBackedUp, Math.floor(usedAtSeconds)]
  if (used.length > 0) return 'recorded'
  return (yield* find(tables, read, id)) === null ? 'unknown' : 'counter-went-back'
}

function* remove({ schema }: ViewerTables, username: string, id: string): SqlWork<boolean> {
  if (!isPasskeyId(id)) return false
  const removed = yield [`DELETE FROM ${schema}.passkeys WHERE key = $1 AND id = $2 RETURNING id`, keyOf(username), id]
  return removed.length > 0
}

/** True for base64url. Some databases refuse other texts, such as those with NUL. */
function isPasskeyId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id)
}

type ReadPasskey = (row: unknown) => Passkey

/** Returns a function that reads rows. It throws an UpstreamError for a row that the app cannot have written. */
function passkeyReader({ texts, damaged }: ViewerTables): ReadPasskey {
  const Row = PasskeyRow.extend({ transports: texts })
  return (row) => {
    const parsed = Row.safeParse(row)
    if (!parsed.success) throw damaged('passkeys', parsed.error)
    return parsed.data
  }
}
