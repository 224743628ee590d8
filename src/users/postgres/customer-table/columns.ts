import { z } from 'zod'
import { UpstreamError } from '../../../errors.ts'
import type { StoredViewer } from '../../passwords/verify-sign-in.ts'
import { canonicalViewer, faultInAttributeName } from '../../viewer-fields.ts'
import type { Column } from '../connection.ts'

/** The type number of `boolean` in PostgreSQL. */
const BOOLEAN = 16

/** Text for a single value, a list of texts for an array, null for NULL. */
const Value = z.union([z.string(), z.array(z.string().nullable())]).nullable()
type Value = z.output<typeof Value>

const Fields = z
  .object({ username: Value, password_hash: Value, disabled: Value.default('false'), groups: Value.default(null) })
  .catchall(Value)
const Rows = z.array(z.object({ fields: Fields }))
export type Fields = z.output<typeof Fields>

/** Wraps the customer's query in a SELECT. Two rows are enough to see that a name is not unique. */
export function selectOf(query: string, columns = '*'): string {
  // The line break ends a comment at the end of the query.
  return `SELECT ${columns} FROM (\n${query}\n) AS viewer LIMIT 2`
}

/**
 * Selects each row as JSON with texts only: JavaScript would round 64-bit integers, and turn 1.50 into 1.5. A JSON
 * object becomes a list with its text, so that a comma inside cannot separate groups.
 */
export function selectFieldsOf(query: string): string {
  return selectOf(
    query,
    `(SELECT json_object_agg(key, CASE json_typeof(value)
               WHEN 'array' THEN to_json(ARRAY(SELECT json_array_elements_text(value)))
               WHEN 'object' THEN to_json(ARRAY[value::text])
               ELSE to_json(value #>> '{}') END)
      FROM json_each(row_to_json(viewer.*))) AS fields`,
  )
}

/** Returns what is wrong with the columns, as the end of a sentence about the query; null if they are usable. */
export function faultInColumns(columns: readonly Column[]): string | null {
  const typeIds = new Map<string, number>()
  for (const { name, typeId } of columns) {
    if (typeIds.has(name)) return `returns two columns named ${JSON.stringify(name)}.`
    typeIds.set(name, typeId)
  }
  const missing = ['username', 'password_hash'].find((name) => !typeIds.has(name))
  if (missing !== undefined) {
    return `must return a column named ${missing}, as in: SELECT login AS username, hash AS password_hash ….`
  }
  if ((typeIds.get('disabled') ?? BOOLEAN) !== BOOLEAN) {
    return `returns a column "disabled" that is not a boolean. Use a comparison: (state <> 'active') AS disabled.`
  }
  for (const name of typeIds.keys()) {
    const fault = Object.hasOwn(Fields.shape, name) ? null : faultInAttributeName(name)
    if (fault !== null) return `returns a column ${JSON.stringify(name)}, and an attribute's name ${fault}.`
  }
  return null
}

/** Checks the rows. @throws UpstreamError when the columns changed while the app runs, and name or hash is missing. */
export function readFields(rows: readonly unknown[]): Fields[] {
  const parsed = Rows.safeParse(rows)
  if (parsed.success) return parsed.data.map(({ fields }) => fields)
  throw new UpstreamError('user-store', 'POSTGRES_QUERY no longer returns the columns username and password_hash')
}

/** Returns the viewer; null for a row without a name or a hash. `disabled` with NULL disables the viewer. */
export function readViewer({ username, password_hash, disabled, groups, ...rest }: Fields): StoredViewer | null {
  const name = textOf(username)
  const passwordHash = textOf(password_hash)
  if (name === null || passwordHash === null) return null
  const attributes: Record<string, string> = {}
  for (const [attribute, value] of Object.entries(rest)) {
    const text = textOf(value)
    if (text !== null) attributes[attribute] = text
  }
  return {
    viewer: canonicalViewer({ username: name, groups: groupsIn(groups), attributes }),
    passwordHash,
    disabled: disabled !== 'false',
  }
}

/** Removes spaces at the end, which values of type char(n) have. */
function textOf(value: Value): string | null {
  const text = Array.isArray(value) ? elementsOf(value).join(',') : value
  return text === null ? null : text.replace(/ +$/, '')
}

function groupsIn(value: Value): string[] {
  const names = Array.isArray(value) ? elementsOf(value) : (value ?? '').split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function elementsOf(list: readonly (string | null)[]): string[] {
  return list.filter((element) => element !== null)
}
