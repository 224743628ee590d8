import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { changedRow } from '../../../server/sqlite-transaction.ts'
import {
  MOST_PASSKEYS,
  newUserHandle,
  type Passkey,
  PasskeyRow,
  type PasskeyStore,
} from '../../passkeys/passkey-store.ts'
import { passwordVersionOf } from '../../passwords/verify-sign-in.ts'
import { usernameKey } from '../../viewer-fields.ts'
import type { ViewersFile } from '../database-file.ts'
import { damagedRow, json } from '../viewer-row.ts'

const HandleRow = z.object({ handle: z.string() })
const OwnerRow = HandleRow.extend({ username: z.string() })
const CountRow = z.object({ count: z.number(), password_hash: z.string() })
const StoredPasskey = PasskeyRow.extend({
  isBackedUp: z.literal([0, 1]).transform((bit) => bit === 1),
  transports: json(z.array(z.string())),
})
const COLUMNS = `id, public_key AS publicKey, counter, device_type AS deviceType, is_backed_up AS isBackedUp, transports,
  name, created_at AS createdAtSeconds, last_used_at AS lastUsedAtSeconds`

/** Keeps the passkeys of viewers, in the file. */
export function sqlitePasskeys({ file, database, ask, change }: ViewersFile): PasskeyStore {
  const { handle, newHandle, ofViewer, byId, count, insert, use, remove } = statementsFor(database)
  const handleOf = (key: string) => HandleRow.optional().parse(handle.get(key))?.handle ?? null

  return {
    // The file belongs to this app.
    assertAllowed: () => Promise.resolve(),
    userHandleOf: (username) =>
      ask(() => {
        const key = usernameKey(username)
        const known = handleOf(key)
        if (known !== null) return known
        newHandle.run(newUserHandle(), key)
        return handleOf(key)
      }),
    list: (username) => ask(() => ofViewer.all(usernameKey(username)).map((row) => readPasskey(row, file))),
    find: (id) =>
      ask(() => {
        const row = byId.get(id)
        if (row === undefined) return null
        const { username, handle: userHandle } = OwnerRow.parse(row)
        return { passkey: readPasskey(row, file), username, userHandle }
      }),
    add: (
      username,
      { id, publicKey, counter, deviceType, isBackedUp, transports, name, createdAtSeconds },
      passwordVersion,
    ) =>
      change(() => {
        const key = usernameKey(username)
        const stored = CountRow.optional().parse(count.get(key))
        if (stored === undefined) return 'no-viewer'
        const version = passwordVersionOf(stored.password_hash)
        if (version !== (passwordVersion ?? version)) return 'password-changed'
        if (stored.count >= MOST_PASSKEYS) return 'too-many'
        const values = [id, publicKey, counter, deviceType, isBackedUp ? 1 : 0, JSON.stringify(transports), name]
        return changedRow(insert, key, ...values, Math.floor(createdAtSeconds)) === undefined ? 'known' : 'added'
      }),
    recordUse: (id, { counter, isBackedUp, usedAtSeconds }) =>
      change(() => {
        if (byId.get(id) === undefined) return 'unknown'
        const values = { $id: id, $counter: counter, $backedUp: isBackedUp ? 1 : 0, $usedAt: Math.floor(usedAtSeconds) }
        return use.all(values).length === 1 ? 'recorded' : 'counter-went-back'
      }),
    remove: (username, id) => ask(() => changedRow(remove, usernameKey(username), id) !== undefined),
  }
}

function statementsFor(database: DatabaseSync) {
  return {
    handle: database.prepare(
      'SELECT handle FROM passkey_handles JOIN viewers USING (key) WHERE key = ? AND disabled = 0',
    ),
    newHandle: database.prepare(
      `INSERT INTO passkey_handles (key, handle) SELECT key, ? FROM viewers WHERE key = ? AND disabled = 0
       ON CONFLICT (key) DO NOTHING`,
    ),
    ofViewer: database.prepare(`SELECT ${COLUMNS} FROM passkeys WHERE key = ? ORDER BY created_at, id`),
    byId: database.prepare(
      `SELECT ${COLUMNS}, username, handle FROM passkeys JOIN viewers USING (key) JOIN passkey_handles USING (key)
       WHERE id = ? AND disabled = 0`,
    ),
    count: database.prepare(
      `SELECT (SELECT count(*) FROM passkeys WHERE passkeys.key = viewers.key) AS count, password_hash
       FROM viewers WHERE key = ? AND disabled = 0`,
    ),
    insert: database.prepare(
      `INSERT INTO passkeys (key, id, public_key, counter, device_type, is_backed_up, transports, name, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING id`,
    ),
    use: database.prepare(
      `UPDATE passkeys SET counter = $counter, is_backed_up = $backedUp, last_used_at = $usedAt
       WHERE id = $id AND (counter < $counter OR counter = 0 AND $counter = 0)
       RETURNING id`,
    ),
    remove: database.prepare('DELETE FROM passkeys WHERE key = ? AND id = ? RETURNING id'),
  }
}

/** @throws UpstreamError for a row that this app did not write. */
function readPasskey(row: unknown, file: string): Passkey {
  const parsed = StoredPasskey.safeParse(row)
  if (!parsed.success) throw damagedRow(file, parsed.error)
  return parsed.data
}
