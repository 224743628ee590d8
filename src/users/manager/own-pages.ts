import { z } from 'zod'
import type { EditableUserStore } from '../editable-user-store.ts'
import { rowsOf, type SqlWork } from '../own-tables/sql-work.ts'
import {
  keyOf,
  lockViewer,
  readViewerState,
  statesIn,
  VIEWER_COLUMNS,
  type ViewerTables,
  viewersOf,
} from '../own-tables/viewer-tables.ts'
import type { Viewer } from '../user-store.ts'
import { noSuchViewer, toChange, viewerExists } from '../viewer-changes.ts'
import type { Change } from '../viewer-editor.ts'
import { canonicalText, canonicalViewer, faultInUsername, faultInViewer, usernameKey } from '../viewer-fields.ts'
import { isSameViewer, NO_PASSWORD_SALT, type Replacement, spellingsOf, type ViewerFilter } from './viewer-pages.ts'

/** What differs between databases. A parameter is a name such as `$1`. */
export interface PageDialect {
  /** The function that returns the place of a text in another one, from 1 on; 0 if there is none. */
  readonly placeOf: string
  /** The function that returns a row with the column `value` for each attribute. */
  readonly eachOf: string
  /** Returns the condition that a viewer is in a group. */
  inGroup(parameter: string): string
  /** Gives the rows of a viewer another key, in a transaction. */
  move(key: string, newKey: string, username: string): SqlWork<readonly unknown[]>
}

/** Returns the pages of viewers in tables of this app, and the replacement and renaming of a viewer. */
export function ownPages(
  tables: ViewerTables,
  dialect: PageDialect,
): Pick<EditableUserStore, 'page' | 'count' | 'replace' | 'rename'> {
  const { run, change } = tables
  return {
    async page(filter, after, limit) {
      const values = [after.replaceAll('\0', '\ufffd')]
      const where = whereOf(tables, dialect, filter, values)
      const sql = `${statesIn(tables.schema)} ${where} ORDER BY viewers.key LIMIT ${Math.trunc(limit)}`
      return (await run(rowsOf(sql, ...values))).map((row) => readViewerState(tables, row))
    },
    async count(filter) {
      const values = [''] // before all keys
      const sql = `SELECT count(*) AS count FROM ${tables.schema}.viewers ${whereOf(tables, dialect, filter, values)}`
      return CountRow.parse(await run(rowsOf(sql, ...values)))[0].count
    },
    replace: (before, wanted) => change(replace(tables, before, wanted)),
    rename: (username, newName) => change(rename(tables, dialect, username, newName)),
  }
}

const CountRow = z.tuple([z.object({ count: z.coerce.number() })])

/** Returns the end of a SELECT for a filter, and adds its values. @param values with the key before the first viewer. */
function whereOf({ schema }: ViewerTables, dialect: PageDialect, filter: ViewerFilter, values: string[]): string {
  const { placeOf, eachOf, inGroup } = dialect
  const { text, group, state, oneOf } = filter
  // Some databases refuse NUL, and no text of a viewer has it.
  const add = (value: string) => `$${values.push(value.replaceAll('\0', '\ufffd'))}`
  const hasGroup = (name: string) => inGroup(add(canonicalText(name)))
  const isInvited = `EXISTS (SELECT 1 FROM ${schema}.password_links AS sent
    WHERE sent.key = viewers.key AND sent.purpose = 'invitation' AND sent.is_sent)`
  const conditions = ['viewers.key > $1']
  if (text !== '') {
    const inKey = `${placeOf}(viewers.key, ${add(usernameKey(text))}) > 0`
    const inValue = spellingsOf(text).map((one) => `${placeOf}(lower(one.value), lower(${add(one)})) > 0`)
    conditions.push(`(${inKey} OR EXISTS (SELECT 1 FROM ${eachOf}(attributes) AS one WHERE ${inValue.join(' OR ')}))`)
  }
  if (group !== '') conditions.push(hasGroup(group))
  if (oneOf !== null) conditions.push(`(${oneOf.map(hasGroup).join(' OR ') || 'false'})`)
  if (state === 'disabled') conditions.push('disabled')
  if (state !== 'all' && state !== 'disabled') {
    const isWanted = state === 'active' ? '= 0' : '> 0'
    conditions.push(`NOT disabled AND ${placeOf}(password_hash, ${add(NO_PASSWORD_SALT)}) ${isWanted}`)
  }
  if (state === 'invited') conditions.push(isInvited)
  if (state === 'not-invited') conditions.push(`NOT ${isInvited}`)
  return `WHERE ${conditions.join(' AND ')}`
}

function* replace(tables: ViewerTables, before: Viewer, wanted: Viewer): SqlWork<Replacement> {
  const fault = faultInViewer(wanted)
  if (fault !== null) return { ok: false, fault }
  const { username, groups, attributes } = canonicalViewer(wanted)
  const stored = yield* lockViewer(tables, username)
  if (stored === null) return noSuchViewer(username)
  if (!isSameViewer(stored.viewer, before)) return { ok: false, fault: 'changed' }
  const sql = `UPDATE ${tables.schema}.viewers SET group_names = $2, attributes = $3 WHERE key = $1 RETURNING ${VIEWER_COLUMNS}`
  const [changed] = yield* viewersOf(tables, sql, keyOf(username), groups, JSON.stringify(attributes))
  return toChange(username, changed)
}

function* rename(tables: ViewerTables, { move }: PageDialect, username: string, newName: string): SqlWork<Change> {
  const { schema } = tables
  const inName = faultInUsername(newName)
  if (inName !== null) return { ok: false, fault: `The user name ${inName}.` }
  const key = keyOf(username)
  const newKey = keyOf(newName)
  if ((yield* lockViewer(tables, username)) === null) return noSuchViewer(username)
  const taken = yield [`SELECT 1 FROM ${schema}.viewers WHERE key = $1 AND key <> $2`, newKey, key]
  if (taken.length > 0) return viewerExists({ username: newName })
  yield [`DELETE FROM ${schema}.password_links WHERE key = $1`, key]
  const [moved] = (yield* move(key, newKey, canonicalText(newName))).map(tables.readViewer)
  return toChange(username, moved)
}
