import { z } from 'zod'
import { UpstreamError } from '../../../../errors.ts'
import {
  MOST_PASSKEYS,
  type NewPasskey,
  newUserHandle,
  type Passkey,
  type PasskeyAddition,
  PasskeyRow,
  type PasskeyStore,
} from '../../../passkeys/passkey-store.ts'
import { passwordVersionOf } from '../../../passwords/verify-sign-in.ts'
import { faultInUsername, usernameKey } from '../../../viewer-fields.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../../connection.ts'
import { refusalAsUpstreamError } from '../../fault.ts'
import { LOCK_VIEWER } from '../own-table.ts'
import { assertRights } from '../rights.ts'

const COLUMNS = `
  id, public_key AS "publicKey", counter::float8 AS counter, device_type AS "deviceType", is_backed_up AS "isBackedUp",
  transports, name, created_at::float8 AS "createdAtSeconds", last_used_at::float8 AS "lastUsedAtSeconds"`
const HANDLE = `
  SELECT handle FROM viewer_auth.passkey_handles JOIN viewer_auth.viewers USING (key) WHERE key = $1 AND NOT disabled`
const NEW_HANDLE = `
  INSERT INTO viewer_auth.passkey_handles (key, handle)
  SELECT key, $2 FROM viewer_auth.viewers WHERE key = $1 AND NOT disabled ON CONFLICT (key) DO NOTHING`
const OF_VIEWER = `SELECT ${COLUMNS} FROM viewer_auth.passkeys WHERE key = $1 ORDER BY created_at, id`
const BY_ID = `
  SELECT ${COLUMNS}, username, handle
  FROM viewer_auth.passkeys JOIN viewer_auth.viewers USING (key) JOIN viewer_auth.passkey_handles USING (key)
  WHERE id = $1 AND NOT disabled`
const COUNT = 'SELECT count(*)::int AS count FROM viewer_auth.passkeys WHERE key = $1'
const ADD = `
  INSERT INTO viewer_auth.passkeys
    (key, id, public_key, counter, device_type, is_backed_up, transports, name, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING RETURNING id`
const USE = `
  UPDATE viewer_auth.passkeys SET counter = $2, is_backed_up = $3, last_used_at = $4
  FROM viewer_auth.viewers
  WHERE id = $1 AND viewers.key = passkeys.key AND NOT disabled AND (counter < $2 OR counter = 0 AND $2 = 0)
  RETURNING id`
const REMOVE = 'DELETE FROM viewer_auth.passkeys WHERE key = $1 AND id = $2 RETURNING id'

const LockedRow = z.object({ password_hash: z.string() }).optional()
const HandleRow = z.object({ handle: z.string() })
const OwnerRow = HandleRow.extend({ username: z.string() })
const CountRow = z.tuple([z.object({ count: z.number() })])

/**
 * Keeps the passkeys of viewers, in the app's own tables.
 * @param assertUsable throws UpstreamError while the tables cannot be used.
 */
export function postgresPasskeys(connection: PostgresConnection, assertUsable: () => Promise<void>): PasskeyStore {
  async function rowsOf(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    await assertUsable()
    return await refusalAsUpstreamError(connection.use((client) => client.rows(sql, values)))
  }
  async function handleOf(key: string): Promise<string | null> {
    return HandleRow.optional().parse((await rowsOf(HANDLE, [key]))[0])?.handle ?? null
  }
  async function find(id: string) {
    if (!isPasskeyId(id)) return null
    const [row] = await rowsOf(BY_ID, [id])
    if (row === undefined) return null
    const { username, handle: userHandle } = OwnerRow.parse(row)
    return { passkey: readPasskey(row), username, userHandle }
  }
  const instead = 'set PASSKEYS=off'
  return {
    async assertAllowed() {
      const rights = ['INSERT', 'UPDATE', 'DELETE']
      await assertRights(rowsOf, connection.settings, { table: 'passkeys', rights, instead })
      await assertRights(rowsOf, connection.settings, { table: 'passkey_handles', rights: ['INSERT'], instead })
    },
    async userHandleOf(username) {
      if (faultInUsername(username) !== null) return null
      const key = usernameKey(username)
      const known = await handleOf(key)
      if (known !== null) return known
      await rowsOf(NEW_HANDLE, [key, newUserHandle()])
      return await handleOf(key)
    },
    async list(username) {
      if (faultInUsername(username) !== null) return []
      return (await rowsOf(OF_VIEWER, [usernameKey(username)])).map(readPasskey)
    },
    find,
    async add(username, passkey, passwordVersion) {
      if (faultInUsername(username) !== null) return 'no-viewer'
      await assertUsable()
      const work = (client: SqlClient) => addOnce(client, usernameKey(username), passkey, passwordVersion)
      return await refusalAsUpstreamError(inTransaction(connection, work))
    },
    async recordUse(id, { counter, isBackedUp, usedAtSeconds }) {
      if (!isPasskeyId(id)) return 'unknown'
      const used = await rowsOf(USE, [id, counter, isBackedUp, Math.floor(usedAtSeconds)])
      if (used.length > 0) return 'recorded'
      return (await find(id)) === null ? 'unknown' : 'counter-went-back'
    },
    async remove(username, id) {
      if (faultInUsername(username) !== null || !isPasskeyId(id)) return false
      return (await rowsOf(REMOVE, [usernameKey(username), id])).length > 0
    },
  }
}

async function addOnce(
  client: SqlClient,
  key: string,
  { id, publicKey, counter, deviceType, isBackedUp, transports, name, createdAtSeconds }: NewPasskey,
  passwordVersion: string | undefined,
): Promise<PasskeyAddition> {
  const viewer = LockedRow.parse((await client.rows(LOCK_VIEWER, [key]))[0])
  if (viewer === undefined) return 'no-viewer'
  const version = passwordVersionOf(viewer.password_hash)
  if (version !== (passwordVersion ?? version)) return 'password-changed'
  const [{ count }] = CountRow.parse(await client.rows(COUNT, [key]))
  if (count >= MOST_PASSKEYS) return 'too-many'
  const values = [key, id, publicKey, counter, deviceType, isBackedUp, transports, name]
  const added = await client.rows(ADD, [...values, Math.floor(createdAtSeconds)])
  return added.length === 0 ? 'known' : 'added'
}

/** True for base64url. PostgreSQL refuses some other texts, such as those with NUL. */
function isPasskeyId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id)
}

/** @throws UpstreamError for a row that the app cannot have written. */
function readPasskey(row: unknown): Passkey {
  const parsed = PasskeyRow.safeParse(row)
  if (!parsed.success) {
    throw new UpstreamError('user-store', `The passkeys table has a damaged row: ${parsed.error.message}`)
  }
  return parsed.data
}
