import type { EditableUserStore } from '../../../editable-user-store.ts'
import { NO_PASSWORD_SALT, spellingsOf, type ViewerFilter } from '../../../manager/viewer-pages.ts'
import { noSuchViewer, toListed, viewerExists } from '../../../viewer-changes.ts'
import { canonicalText, canonicalViewer, faultInUsername, faultInViewer, usernameKey } from '../../../viewer-fields.ts'
import { COLUMNS, readOwnRow } from '../own-table.ts'
import { type RowsOf, readViewerState, STATES } from '../viewer-states.ts'

const TABLE = 'viewer_auth.viewers'
const IS_INVITED = `EXISTS (SELECT 1 FROM viewer_auth.password_links AS sent
  WHERE sent.key = viewers.key AND sent.purpose = 'invitation' AND sent.is_sent)`

/** Returns the conditions of a filter, and adds their values. */
function conditionsOf({ text, group, state, oneOf }: ViewerFilter, values: unknown[]): string[] {
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions: string[] = []
  if (text !== '') {
    const addText = (one: string) => add(one.replaceAll('\0', '\ufffd'))
    const key = addText(usernameKey(text))
    const [lower, capitals] = spellingsOf(text).map(addText)
    conditions.push(`(strpos(viewers.key, ${key}) > 0 OR EXISTS (SELECT 1 FROM jsonb_each_text(attributes) AS one
      WHERE strpos(lower(one.value), lower(${lower})) > 0 OR strpos(lower(one.value), lower(${capitals})) > 0))`)
  }
  if (group !== '') conditions.push(`${add(canonicalText(group).replaceAll('\0', '\ufffd'))} = ANY (group_names)`)
  if (oneOf !== null) conditions.push(`group_names && ${add(oneOf.map(canonicalText))}::text[]`)
  if (state === 'disabled') conditions.push('disabled')
  if (state !== 'all' && state !== 'disabled') {
    const isWanted = state === 'active' ? '= 0' : '> 0'
    conditions.push(`NOT disabled AND strpos(password_hash, ${add(NO_PASSWORD_SALT)}) ${isWanted}`)
  }
  if (state === 'invited') conditions.push(IS_INVITED)
  if (state === 'not-invited') conditions.push(`NOT ${IS_INVITED}`)
  return conditions
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
}

/** One statement: its end checks the references between the tables. */
const RENAME = `WITH old AS (
    SELECT key FROM ${TABLE} WHERE key = $1 AND NOT EXISTS (SELECT FROM ${TABLE} WHERE key = $2 AND $1 <> $2) FOR UPDATE
  ), links AS (DELETE FROM viewer_auth.password_links WHERE key IN (SELECT key FROM old)),
  handles AS (UPDATE viewer_auth.passkey_handles SET key = $2 WHERE key IN (SELECT key FROM old)),
  keys AS (UPDATE viewer_auth.passkeys SET key = $2 WHERE key IN (SELECT key FROM old))
  UPDATE ${TABLE} SET key = $2, username = $3 WHERE key IN (SELECT key FROM old) RETURNING ${COLUMNS}`

/** Returns the pages of the table, and the replacement and renaming of a viewer. */
export function postgresPages(query: RowsOf): Pick<EditableUserStore, 'page' | 'count' | 'replace' | 'rename'> {
  return {
    async page(filter, after, limit) {
      const values: unknown[] = [after.replaceAll('\0', '\ufffd')]
      const conditions = ['viewers.key > $1', ...conditionsOf(filter, values)]
      const sql = `${STATES} ${where(conditions)} ORDER BY viewers.key LIMIT ${Math.trunc(limit)}`
      return (await query(sql, values)).flatMap((row) => readViewerState(row) ?? [])
    },
    async count(filter) {
      const values: unknown[] = []
      const conditions = where(conditionsOf(filter, values))
      const [row] = await query(`SELECT count(*)::float8 AS n FROM ${TABLE} ${conditions}`, values)
      return Number((row as { readonly n?: unknown } | undefined)?.n ?? 0)
    },
    async replace(before, wanted) {
      const fault = faultInViewer(wanted)
      if (fault !== null) return { ok: false, fault }
      const { username, groups, attributes } = canonicalViewer(wanted)
      const sql = `UPDATE ${TABLE} SET group_names = $2, attributes = $3
                   WHERE key = $1 AND group_names = $4::text[] AND attributes = $5::jsonb RETURNING ${COLUMNS}`
      const old = [before.groups, JSON.stringify(before.attributes)]
      const [row] = await query(sql, [usernameKey(username), groups, JSON.stringify(attributes), ...old])
      const stored = readOwnRow(row)
      if (stored !== null) return { ok: true, viewer: toListed(stored) }
      const known = await query(`SELECT 1 FROM ${TABLE} WHERE key = $1`, [usernameKey(username)])
      return known.length === 0 ? noSuchViewer(username) : { ok: false, fault: 'changed' }
    },
    async rename(username, newName) {
      const inName = faultInUsername(newName)
      if (inName !== null) return { ok: false, fault: `The user name ${inName}.` }
      if (faultInUsername(username) !== null) return noSuchViewer(username)
      const keys = [usernameKey(username), usernameKey(newName)]
      const stored = readOwnRow((await query(RENAME, [...keys, canonicalText(newName)]))[0])
      if (stored !== null) return { ok: true, viewer: toListed(stored) }
      const known = await query(`SELECT 1 FROM ${TABLE} WHERE key = $1`, keys.slice(0, 1))
      return known.length === 0 ? noSuchViewer(username) : viewerExists({ username: newName })
    },
  }
}
