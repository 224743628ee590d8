import { z } from 'zod'
import type { WorkQueue } from '../../../../server/work-queue.ts'
import type { FoundPasswordLink, PasswordChanges } from '../../../account/password-changes.ts'
import type { EditableUserStore } from '../../../editable-user-store.ts'
import type { PasswordHashing } from '../../../passwords/argon2.ts'
import { toViewer } from '../../../passwords/verify-sign-in.ts'
import { faultInUsername, usernameKey } from '../../../viewer-fields.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../../connection.ts'
import { refusalAsUpstreamError } from '../../fault.ts'
import { BY_ADDRESS, indexedAddress } from '../mail/address-lookup.ts'
import { COLUMNS, LOCK_VIEWER, readOwnRow } from '../own-table.ts'
import { assertRights } from '../rights.ts'

const NEEDED_RIGHTS = {
  table: 'password_links',
  rights: ['INSERT', 'UPDATE', 'DELETE'],
  instead: 'unset SMTP_URL',
}
const VIEWER = `SELECT ${COLUMNS} FROM viewer_auth.viewers WHERE key = $1`
/** $5: replaces any link. Else $6 and $7 are those of the link that is replaced, or null for none. */
const CREATE = `
  INSERT INTO viewer_auth.password_links AS link (key, purpose, digest, expires_at)
  SELECT key, $2, $3, $4 FROM viewer_auth.viewers WHERE key = $1 AND NOT disabled AND ($5::boolean OR $6::bigint IS NULL
    OR EXISTS (SELECT 1 FROM viewer_auth.password_links WHERE key = $1 AND purpose = $2))
  ON CONFLICT (key, purpose) DO UPDATE
  SET digest = excluded.digest, expires_at = excluded.expires_at, is_sent = false
  WHERE $5::boolean OR (link.expires_at = $6::bigint AND link.is_sent = $7::boolean)
  RETURNING key`
const FIND = `
  SELECT purpose, ${COLUMNS} FROM viewer_auth.password_links JOIN viewer_auth.viewers USING (key)
  WHERE digest = $1 AND expires_at > $2 AND NOT disabled`
const TAKE = 'DELETE FROM viewer_auth.password_links WHERE digest = $1 AND expires_at > $2 RETURNING 1'
const REMOVE_LINKS = 'DELETE FROM viewer_auth.password_links WHERE key = $1'
const NEW_HASH = 'UPDATE viewer_auth.viewers SET password_hash = $2 WHERE key = $1'
const SENT = 'UPDATE viewer_auth.password_links SET is_sent = true WHERE digest = $1'

const LinkRow = z.object({ purpose: z.enum(['reset', 'invitation']) })

export interface PasswordChangesDeps {
  readonly queue: WorkQueue
  readonly passwords: Pick<PasswordHashing, 'hash'>
  /** @throws UpstreamError while the tables cannot be used. */
  readonly assertUsable: () => Promise<void>
}

/** Lets viewers set their own passwords, in the app's own table. */
export function postgresPasswordChanges(
  connection: PostgresConnection,
  { queue, passwords, assertUsable }: PasswordChangesDeps,
): PasswordChanges {
  async function rowsOf(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    await assertUsable()
    return await refusalAsUpstreamError(connection.use((client) => client.rows(sql, values)))
  }
  async function findLink(digest: string, nowSeconds: number): Promise<FoundPasswordLink | null> {
    const [row] = await rowsOf(FIND, [digest, Math.floor(nowSeconds)])
    const stored = readOwnRow(row)
    return stored && { purpose: LinkRow.parse(row).purpose, viewer: stored.viewer }
  }
  async function load(username: string) {
    if (faultInUsername(username) !== null) return null
    return readOwnRow((await rowsOf(VIEWER, [usernameKey(username)]))[0])
  }
  return {
    assertAllowed: () => assertRights(rowsOf, connection.settings, NEEDED_RIGHTS),
    async findByAttribute(name, value) {
      const rows = await rowsOf(BY_ADDRESS, [indexedAddress(name, value)])
      return rows.flatMap((row) => readOwnRow(row)?.viewer ?? [])
    },
    async createLink(username, { purpose, digest, expiresAtSeconds, replaces }) {
      if (faultInUsername(username) !== null) return null
      const earlier = [replaces === undefined, replaces?.expiresAtSeconds ?? null, replaces?.isSent ?? null]
      const values = [usernameKey(username), purpose, digest, Math.floor(expiresAtSeconds), ...earlier]
      return (await rowsOf(CREATE, values)).length === 0 ? null : ((await load(username))?.viewer ?? null)
    },
    findLink,
    async setByLink(digest, nowSeconds, password) {
      const found = await findLink(digest, nowSeconds)
      if (found === null) return null
      const hash = await queue.run(() => passwords.hash(password))
      const key = usernameKey(found.viewer.username)
      const setOnce = async (client: SqlClient) => {
        if ((await client.rows(LOCK_VIEWER, [key])).length === 0) return false
        // While the password was hashed, another request may have used the link.
        if ((await client.rows(TAKE, [digest, Math.floor(nowSeconds)])).length === 0) return false
        await client.rows(REMOVE_LINKS, [key])
        await client.rows(NEW_HASH, [key, hash])
        return true
      }
      return (await refusalAsUpstreamError(inTransaction(connection, setOnce))) ? found : null
    },
    async change({ username, passwordVersion }, password) {
      const stored = await load(username)
      if (stored === null || toViewer(stored).passwordVersion !== passwordVersion) return false
      const hash = await queue.run(() => passwords.hash(password))
      const key = usernameKey(username)
      const replace = async (client: SqlClient) => {
        const sql = `${NEW_HASH} AND password_hash = $3`
        if ((await client.changedRows(sql, [key, hash, stored.passwordHash])) === 0) return false
        await client.rows(REMOVE_LINKS, [key])
        return true
      }
      return await refusalAsUpstreamError(inTransaction(connection, replace))
    },
  }
}

/** Marks invitations as sent, and deletes links, for commands. @param rowsOf runs a statement of a command. */
export function postgresInvitations(
  rowsOf: (sql: string, values: readonly unknown[]) => Promise<readonly unknown[]>,
): Pick<EditableUserStore, 'markSent' | 'revokeLinks'> {
  return {
    markSent: async (digest) => void (await rowsOf(SENT, [digest])),
    async revokeLinks(username) {
      if (faultInUsername(username) !== null) return false
      return (await rowsOf(`${REMOVE_LINKS} RETURNING key`, [usernameKey(username)])).length > 0
    },
  }
}
