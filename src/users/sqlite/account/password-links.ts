import type { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { changedRow } from '../../../server/sqlite-transaction.ts'
import type { WorkQueue } from '../../../server/work-queue.ts'
import type { FoundPasswordLink, NewPasswordLink, PasswordChanges } from '../../account/password-changes.ts'
import type { EditableUserStore } from '../../editable-user-store.ts'
import type { PasswordHashing } from '../../passwords/argon2.ts'
import { type StoredViewer, toViewer } from '../../passwords/verify-sign-in.ts'
import type { Viewer, ViewerState } from '../../user-store.ts'
import { faultInUsername, usernameKey } from '../../viewer-fields.ts'
import type { ViewersFile } from '../database-file.ts'
import { BY_ADDRESS } from '../mail/address-lookup.ts'
import { readViewerRow } from '../viewer-row.ts'

/** Looks up a viewer by the key of the name. */
type Load = (key: string) => StoredViewer | null
interface Found extends Pick<FoundPasswordLink, 'purpose'> {
  readonly key: string
  readonly stored: StoredViewer
}

const StateRow = z.object({ expires_at: z.number(), is_sent: z.number() })
const LinkRow = z.object({ key: z.string(), purpose: z.enum(['reset', 'invitation']) })

interface PasswordChangesDeps {
  readonly load: Load
  readonly queue: WorkQueue
  readonly passwords: Pick<PasswordHashing, 'hash'>
}

/** Lets viewers set their own passwords, in the file. */
export function sqlitePasswordChanges(
  { file, database, ask, change }: ViewersFile,
  { load, queue, passwords }: PasswordChangesDeps,
): PasswordChanges {
  const create = linkCreator(database, load)
  const select = database.prepare('SELECT key, purpose FROM password_links WHERE digest = ? AND expires_at > ?')
  const byAddress = database.prepare(BY_ADDRESS)
  const newHash = database.prepare('UPDATE viewers SET password_hash = ? WHERE key = ?')
  const removeLinks = database.prepare('DELETE FROM password_links WHERE key = ?')

  function find(digest: string, nowSeconds: number): Found | null {
    const row = select.get(digest, nowSeconds)
    if (row === undefined) return null
    const { key, purpose } = LinkRow.parse(row)
    const stored = load(key)
    return stored === null || stored.disabled ? null : { key, purpose, stored }
  }
  function setHash(key: string, hash: string): void {
    newHash.run(hash, key)
    removeLinks.run(key)
  }

  return {
    // The file belongs to this app.
    assertAllowed: () => Promise.resolve(),
    findByAttribute: (name, value) =>
      ask(() => byAddress.all(name, value).map((row) => readViewerRow(row, file).viewer)),
    createLink: (username, link) => change(() => create(username, link)),
    findLink: (digest, nowSeconds) => ask(() => toFound(find(digest, nowSeconds))),
    async setByLink(digest, nowSeconds, password) {
      if ((await ask(() => find(digest, nowSeconds))) === null) return null
      const hash = await queue.run(() => passwords.hash(password))
      // Found again: while the password was hashed, another request may have used the link.
      return await change(() => {
        const found = find(digest, nowSeconds)
        if (found !== null) setHash(found.key, hash)
        return toFound(found)
      })
    },
    async change({ username, passwordVersion }, password) {
      const key = usernameKey(username)
      const hash = await queue.run(() => passwords.hash(password))
      return await change(() => {
        const stored = load(key)
        if (stored === null || toViewer(stored).passwordVersion !== passwordVersion) return false
        setHash(key, hash)
        return true
      })
    },
  }
}

/** Returns a function that stores a link. Call it in a transaction. */
function linkCreator(database: DatabaseSync, load: Load) {
  const insert = database.prepare(
    `INSERT INTO password_links (key, purpose, digest, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (key, purpose) DO UPDATE
     SET digest = excluded.digest, expires_at = excluded.expires_at, is_sent = 0`,
  )
  const state = database.prepare('SELECT expires_at, is_sent FROM password_links WHERE key = ? AND purpose = ?')
  function stateOf(key: string, purpose: string): ViewerState['invitation'] {
    const row = state.get(key, purpose)
    if (row === undefined) return null
    const { expires_at: expiresAtSeconds, is_sent: isSent } = StateRow.parse(row)
    return { expiresAtSeconds, isSent: isSent === 1 }
  }
  return (username: string, { purpose, digest, expiresAtSeconds, replaces }: NewPasswordLink): Viewer | null => {
    const key = faultInUsername(username) === null ? usernameKey(username) : null
    const stored = key === null ? null : load(key)
    if (key === null || stored === null || stored.disabled) return null
    if (replaces !== undefined && !isDeepStrictEqual(stateOf(key, purpose), replaces)) return null
    insert.run(key, purpose, digest, Math.floor(expiresAtSeconds))
    return stored.viewer
  }
}

/** Marks invitations as sent, and deletes links, for commands. */
export function sqliteInvitations({ database, ask }: ViewersFile): Pick<EditableUserStore, 'markSent' | 'revokeLinks'> {
  const sent = database.prepare('UPDATE password_links SET is_sent = 1 WHERE digest = ? RETURNING key')
  const remove = database.prepare('DELETE FROM password_links WHERE key = ? RETURNING key')
  return {
    markSent: (digest) => ask(() => void changedRow(sent, digest)),
    revokeLinks: (username) => ask(() => changedRow(remove, usernameKey(username)) !== undefined),
  }
}

function toFound(found: Found | null): FoundPasswordLink | null {
  return found === null ? null : { purpose: found.purpose, viewer: found.stored.viewer }
}
