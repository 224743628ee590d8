import type { EditableStoreOptions, EditableUserStore } from '../editable-user-store.ts'
import { noPasswordHash, type PasswordHashing } from '../passwords/argon2.ts'
import { faultInNewPassword } from '../passwords/new-password.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { toChange, viewerExists } from '../viewer-changes.ts'
import type { Change } from '../viewer-editor.ts'
import { canonicalViewer, faultInViewer } from '../viewer-fields.ts'
import { rowsOf } from './sql-work.ts'
import { keyOf, setHash, VIEWER_COLUMNS, type ViewerTables, viewersOf } from './viewer-tables.ts'

/** Changes viewers one by one, in tables of this app. */
export function ownViewers(
  tables: ViewerTables,
  { passwords = storedPasswords, contextWords = [] }: EditableStoreOptions & { readonly passwords?: PasswordHashing },
): Pick<EditableUserStore, 'add' | 'show' | 'setPassword' | 'setDisabled' | 'remove'> {
  const { schema, run, change } = tables
  const returned = `RETURNING ${VIEWER_COLUMNS}`
  const faultIn = (password: string, username: string) => faultInNewPassword(password, username, contextWords)
  async function changed(username: string, sql: string, ...values: readonly boolean[]): Promise<Change> {
    const [stored] = await run(viewersOf(tables, sql, keyOf(username), ...values))
    return toChange(username, stored)
  }
  const show = (username: string) => changed(username, `SELECT ${VIEWER_COLUMNS} FROM ${schema}.viewers WHERE key = $1`)
  return {
    show,
    async add(viewer, password) {
      const fault = faultInViewer(viewer) ?? (password === null ? null : await faultIn(password, viewer.username))
      if (fault !== null) return { ok: false, fault }
      const { username, groups, attributes } = canonicalViewer(viewer)
      const existing = await show(username)
      if (existing.ok) return viewerExists(existing.viewer)
      const hash = password === null ? noPasswordHash() : await passwords.hash(password)
      const sql = `
        INSERT INTO ${schema}.viewers (key, username, password_hash, group_names, attributes)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING RETURNING key`
      const values = [keyOf(username), username, hash, groups, JSON.stringify(attributes)] as const
      const added = await run(rowsOf(sql, ...values))
      // Another process may have added the name while the password was hashed.
      if (added.length === 0) return viewerExists({ username })
      return { ok: true, viewer: { username, groups, attributes, disabled: false } }
    },
    async setPassword(username, password) {
      const fault = await faultIn(password, username)
      if (fault !== null) return { ok: false, fault }
      const hash = await passwords.hash(password)
      return toChange(username, await change(setHash(tables, username, hash)))
    },
    setDisabled: (username, disabled) =>
      changed(username, `UPDATE ${schema}.viewers SET disabled = $2 WHERE key = $1 ${returned}`, disabled),
    remove: (username) => changed(username, `DELETE FROM ${schema}.viewers WHERE key = $1 ${returned}`),
  }
}
