import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { WorkQueue } from '../../server/work-queue.ts'
import type { EditableUserStore } from '../editable-user-store.ts'
import type { ByAddress } from '../mail/address-lookup.ts'
import { type AssertRights, hasAllRights } from '../own-tables/rights.ts'
import { rowsOf, type SqlWork } from '../own-tables/sql-work.ts'
import {
  keyOf,
  lockViewer,
  setHash,
  VIEWER_COLUMNS,
  type ViewerTables,
  viewersOf,
} from '../own-tables/viewer-tables.ts'
import type { PasswordHashing } from '../passwords/argon2.ts'
import { toViewer } from '../passwords/verify-sign-in.ts'
import type { Viewer } from '../user-store.ts'
import type { FoundPasswordLink, NewPasswordLink, PasswordChanges } from './password-changes.ts'

const LinkRow = z.object({ purpose: z.enum(['reset', 'invitation']) })
const EarlierRow = z
  .object({ expires_at: z.coerce.number(), is_sent: z.coerce.boolean() })
  .transform(({ expires_at, is_sent }) => ({ expiresAtSeconds: expires_at, isSent: is_sent }))

const NEEDED_RIGHTS = {
  table: 'password_links',
  rights: ['INSERT', 'UPDATE', 'DELETE'],
  instead: 'unset SMTP_URL',
}

interface PasswordChangesDeps {
  readonly queue: WorkQueue
  readonly passwords: Pick<PasswordHashing, 'hash'>
  readonly byAddress: ByAddress
  readonly assertRights?: AssertRights
}

/** Lets viewers set their own passwords, in tables of this app. */
export function ownPasswordChanges(
  tables: ViewerTables,
  { queue, passwords, byAddress, assertRights = hasAllRights }: PasswordChangesDeps,
): PasswordChanges {
  const { run, change } = tables
  const hashOf = (password: string) => queue.run(() => passwords.hash(password))
  return {
    assertAllowed: () => assertRights(NEEDED_RIGHTS),
    async findByAttribute(name, value) {
      const found = await run(viewersOf(tables, ...byAddress(name, value)))
      return found.map(({ viewer }) => viewer)
    },
    createLink: (username, link) => change(createLink(tables, username, link)),
    findLink: (digest, nowSeconds) => run(findLink(tables, digest, nowSeconds)),
    async setByLink(digest, nowSeconds, password) {
      const found = await run(findLink(tables, digest, nowSeconds))
      if (found === null) return null
      const hash = await hashOf(password)
      return await change(useLink(tables, found.viewer, digest, nowSeconds, hash))
    },
    async change(viewer, password) {
      const hash = await hashOf(password)
      return await change(replaceHash(tables, viewer, hash))
    },
  }
}

function* createLink(
  tables: ViewerTables,
  username: string,
  { purpose, digest, expiresAtSeconds, replaces }: NewPasswordLink,
): SqlWork<Viewer | null> {
  const { schema } = tables
  const key = keyOf(username)
  const stored = yield* lockViewer(tables, username)
  if (stored === null || stored.disabled) return null
  const select = `SELECT expires_at, is_sent FROM ${schema}.password_links WHERE key = $1 AND purpose = $2`
  const [row] = yield [select, key, purpose]
  const earlier = row === undefined ? null : EarlierRow.parse(row)
  if (replaces !== undefined && !isDeepStrictEqual(earlier, replaces)) return null
  const insert = `
    INSERT INTO ${schema}.password_links (key, purpose, digest, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key, purpose) DO UPDATE
    SET digest = excluded.digest, expires_at = excluded.expires_at, is_sent = false`
  yield [insert, key, purpose, digest, Math.floor(expiresAtSeconds)]
  return stored.viewer
}

function* findLink(tables: ViewerTables, digest: string, nowSeconds: number): SqlWork<FoundPasswordLink | null> {
  const { schema } = tables
  const sql = `
    SELECT purpose, ${VIEWER_COLUMNS} FROM ${schema}.password_links JOIN ${schema}.viewers USING (key)
    WHERE digest = $1 AND expires_at > $2 AND NOT disabled`
  const [row] = yield [sql, digest, Math.floor(nowSeconds)]
  return row === undefined ? null : { purpose: LinkRow.parse(row).purpose, viewer: tables.readViewer(row).viewer }
}

function* useLink(
  tables: ViewerTables,
  { username }: Viewer,
  digest: string,
  nowSeconds: number,
  hash: string,
): SqlWork<FoundPasswordLink | null> {
  yield* lockViewer(tables, username)
  // Found again: while the password was hashed, another request may have used the link.
  const found = yield* findLink(tables, digest, nowSeconds)
  if (found !== null) yield* setHash(tables, username, hash)
  return found
}

function* replaceHash(
  tables: ViewerTables,
  { username, passwordVersion }: Pick<Viewer, 'username' | 'passwordVersion'>,
  hash: string,
): SqlWork<boolean> {
  const stored = yield* lockViewer(tables, username)
  if (stored === null || toViewer(stored).passwordVersion !== passwordVersion) return false
  yield* setHash(tables, username, hash)
  return true
}

/** Marks invitations as sent, and deletes links, for commands. */
export function ownInvitations(tables: ViewerTables): Pick<EditableUserStore, 'markSent' | 'revokeLinks'> {
  const { schema, run, change } = tables
  const sent = `UPDATE ${schema}.password_links SET is_sent = true WHERE digest = $1`
  return {
    markSent: async (digest) => void (await run(rowsOf(sent, digest))),
    revokeLinks: (username) => change(revokeLinks(tables, username)),
  }
}

function* revokeLinks(tables: ViewerTables, username: string): SqlWork<boolean> {
  yield* lockViewer(tables, username)
  const sql = `DELETE FROM ${tables.schema}.password_links WHERE key = $1 RETURNING key`
  return (yield [sql, keyOf(username)]).length > 0
}
