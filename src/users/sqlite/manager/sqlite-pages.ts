import type { SQLInputValue } from 'node:sqlite'
import { changedRow } from '../../../server/sqlite-transaction.ts'
import type { EditableUserStore } from '../../editable-user-store.ts'
import { isSameViewer, NO_PASSWORD_SALT, spellingsOf, type ViewerFilter } from '../../manager/viewer-pages.ts'
import { noSuchViewer, toListed, viewerExists } from '../../viewer-changes.ts'
import { canonicalText, canonicalViewer, faultInUsername, faultInViewer, usernameKey } from '../../viewer-fields.ts'
import type { ViewersFile } from '../database-file.ts'
import { readViewerRow, readViewerState, STATES } from '../viewer-row.ts'

type Condition = readonly [sql: string, ...values: SQLInputValue[]]

const IS_INVITED =
  "EXISTS (SELECT 1 FROM password_links AS sent WHERE sent.key = viewers.key AND purpose = 'invitation' AND sent.is_sent = 1)"

const HAS_TEXT = `(instr(viewers.key, ?) OR EXISTS (SELECT 1 FROM json_each(attributes) AS one
  WHERE instr(lower(one.value), lower(?)) OR instr(lower(one.value), lower(?))))`

/** Returns the conditions of a filter. A group is found by its JSON text: to parse each row would take ten times longer. */
function conditionsOf({ text, group, state, oneOf }: ViewerFilter): Condition[] {
  const inGroup = (name: string): Condition => ['instr(group_names, ?)', JSON.stringify(canonicalText(name))]
  const conditions: Condition[] = []
  if (text !== '') conditions.push([HAS_TEXT, usernameKey(text), ...spellingsOf(text)])
  if (group !== '') conditions.push(inGroup(group))
  if (oneOf !== null) {
    const any = oneOf.map(inGroup)
    conditions.push([`(${any.map(([sql]) => sql).join(' OR ') || '0'})`, ...any.flatMap(([, ...values]) => values)])
  }
  if (state === 'disabled') conditions.push(['disabled = 1'])
  if (state === 'active') conditions.push(['disabled = 0 AND NOT instr(password_hash, ?)', NO_PASSWORD_SALT])
  if (state !== 'all' && state !== 'disabled' && state !== 'active')
    conditions.push(['disabled = 0 AND instr(password_hash, ?)', NO_PASSWORD_SALT])
  if (state === 'invited') conditions.push([IS_INVITED])
  if (state === 'not-invited') conditions.push([`NOT ${IS_INVITED}`])
  return conditions
}

/** Returns the pages of an open file, and the replacement and renaming of a viewer. */
export function sqlitePages({
  file,
  database,
  ask,
  change,
}: ViewersFile): Pick<EditableUserStore, 'page' | 'count' | 'replace' | 'rename'> {
  const byKey = database.prepare('SELECT * FROM viewers WHERE key = ?')
  const update = database.prepare('UPDATE viewers SET group_names = ?, attributes = ? WHERE key = ? RETURNING *')
  const rename = database.prepare('UPDATE viewers SET key = ?, username = ? WHERE key = ? RETURNING *')
  const removeLinks = database.prepare('DELETE FROM password_links WHERE key = ?')
  const follow = ['viewer_addresses', 'passkey_handles', 'passkeys'].map((table) =>
    database.prepare(`UPDATE ${table} SET key = ? WHERE key = ?`),
  )
  function select<T>(
    sql: string,
    conditions: readonly Condition[],
    read: (rows: Record<string, unknown>[]) => T,
  ): Promise<T> {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([text]) => text).join(' AND ')}`
    const values = conditions.flatMap(([, ...given]) => given)
    return ask(() => read(database.prepare(sql.replace('WHERE', where)).all(...values)))
  }
  return {
    page: (filter, after, limit) =>
      select(
        `${STATES} WHERE ORDER BY viewers.key LIMIT ${Math.trunc(limit)}`,
        [['viewers.key > ?', after], ...conditionsOf(filter)],
        (rows) => rows.map((row) => readViewerState(row, file)),
      ),
    count: (filter) =>
      select('SELECT count(*) AS n FROM viewers WHERE', conditionsOf(filter), ([row]) => Number(row?.n ?? 0)),
    replace: (before, wanted) =>
      change(() => {
        const fault = faultInViewer(wanted)
        if (fault !== null) return { ok: false, fault }
        const { username, groups, attributes } = canonicalViewer(wanted)
        const key = usernameKey(username)
        const row = byKey.get(key)
        if (row === undefined) return noSuchViewer(username)
        const { viewer } = readViewerRow(row, file)
        if (!isSameViewer(viewer, before)) return { ok: false, fault: 'changed' }
        const changed = changedRow(update, JSON.stringify(groups), JSON.stringify(attributes), key)
        return { ok: true, viewer: toListed(readViewerRow(changed, file)) }
      }),
    rename: (username, newName) =>
      change(() => {
        const inName = faultInUsername(newName)
        if (inName !== null) return { ok: false, fault: `The user name ${inName}.` }
        const key = usernameKey(username)
        const newKey = usernameKey(newName)
        if (newKey !== key && byKey.get(newKey)) return viewerExists({ username: newName })
        // The rows of other tables follow before the commit.
        database.exec('PRAGMA defer_foreign_keys = ON')
        removeLinks.run(key)
        const row = changedRow(rename, newKey, canonicalText(newName), key)
        for (const statement of follow) statement.run(newKey, key)
        return row === undefined ? noSuchViewer(username) : { ok: true, viewer: toListed(readViewerRow(row, file)) }
      }),
  }
}
