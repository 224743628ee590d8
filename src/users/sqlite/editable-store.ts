import { emptyWriteAheadLog } from '../../server/sqlite-file.ts'
import { changedRow } from '../../server/sqlite-transaction.ts'
import type { EditableStoreOptions, EditableUserStore } from '../editable-user-store.ts'
import { noPasswordHash } from '../passwords/argon2.ts'
import { faultInNewPassword } from '../passwords/new-password.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { noSuchViewer, toListed, viewerExists } from '../viewer-changes.ts'
import type { Change } from '../viewer-editor.ts'
import { canonicalViewer, faultInViewer, usernameKey } from '../viewer-fields.ts'
import { sqliteInvitations } from './account/password-links.ts'
import { openViewersFile, type ViewersFile, viewersIn } from './database-file.ts'
import { sqliteBatches } from './import-batch/sqlite-batches.ts'
import { sqlitePages } from './manager/sqlite-pages.ts'
import { createSqliteStore, type SqliteStoreOptions, viewerLoader } from './store.ts'
import { listViewers, readViewerRow, readViewerState } from './viewer-row.ts'

/** A command can wait until another command has written, such as a large batch. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens the file to change its viewers. The app and other commands may use the file at the same time.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openEditableSqliteStore(
  file: string,
  options: SqliteStoreOptions & EditableStoreOptions = {},
): EditableUserStore {
  const viewers = viewersIn(file, openViewersFile(file, BUSY_TIMEOUT_MS))
  return {
    ...createSqliteStore(viewers, options),
    ...sqliteInvitations(viewers),
    ...viewerChanges(viewers, options),
    list: () => listViewers(viewers, readViewerState),
    ...sqliteBatches(viewers),
    ...sqlitePages(viewers),
  }
}

function viewerChanges(
  viewers: ViewersFile,
  { passwords = storedPasswords, contextWords = [] }: SqliteStoreOptions & EditableStoreOptions,
): Pick<EditableUserStore, 'add' | 'show' | 'setPassword' | 'setDisabled' | 'remove'> {
  const { file, database, query, ask, change } = viewers
  const load = viewerLoader(viewers)
  const insert = database.prepare(
    `INSERT INTO viewers (key, username, password_hash, group_names, attributes)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
  )
  const newHash = database.prepare('UPDATE viewers SET password_hash = ? WHERE key = ? RETURNING *')
  const newState = database.prepare('UPDATE viewers SET disabled = ? WHERE key = ? RETURNING *')
  const remove = database.prepare('DELETE FROM viewers WHERE key = ? RETURNING *')
  const removeLinks = database.prepare('DELETE FROM password_links WHERE key = ?')
  const faultIn = (password: string, username: string) => faultInNewPassword(password, username, contextWords)

  function changed(username: string, row: unknown): Change {
    return row ? { ok: true, viewer: toListed(readViewerRow(row, file)) } : noSuchViewer(username)
  }

  return {
    async add(viewer, password) {
      const fault = faultInViewer(viewer) ?? (password === null ? null : await faultIn(password, viewer.username))
      if (fault !== null) return { ok: false, fault }
      const { username, groups, attributes } = canonicalViewer(viewer)
      const key = usernameKey(username)
      const existing = load(key)
      if (existing) return viewerExists(existing.viewer)
      const hash = password === null ? noPasswordHash() : await passwords.hash(password)
      const { changes } = query(() =>
        insert.run(key, username, hash, JSON.stringify(groups), JSON.stringify(attributes)),
      )
      // Another process may have added the name while the password was hashed.
      if (changes === 0) return viewerExists({ username })
      return { ok: true, viewer: { username, groups, attributes, disabled: false } }
    },
    show: (username) =>
      ask(() => {
        const stored = load(usernameKey(username))
        return stored ? { ok: true, viewer: toListed(stored) } : noSuchViewer(username)
      }),
    async setPassword(username, password) {
      const fault = await faultIn(password, username)
      if (fault !== null) return { ok: false, fault }
      const hash = await passwords.hash(password)
      return await change(() => {
        removeLinks.run(usernameKey(username))
        return changed(username, changedRow(newHash, hash, usernameKey(username)))
      })
    },
    setDisabled: (username, disabled) =>
      ask(() => changed(username, changedRow(newState, disabled ? 1 : 0, usernameKey(username)))),
    remove: (username) =>
      ask(() => {
        const removed = changed(username, changedRow(remove, usernameKey(username)))
        if (removed.ok) emptyWriteAheadLog(database)
        return removed
      }),
  }
}
