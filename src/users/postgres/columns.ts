import { types } from 'pg'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import { canonicalViewer, faultInAttributeName } from '../viewer-fields.ts'
import type { TextColumn } from './connection.ts'

/**
 * What the columns of a customer's query mean. Every value comes as PostgreSQL writes it (a number as 42 or 1.50, a
 * date as 2026-11-20), but for these: a boolean is true or false, an array its elements between commas, char(n) has no
 * spaces at its end, and for NULL there is no attribute.
 */
export interface AnswerShape {
  readonly username: Column
  readonly passwordHash: Column
  readonly disabled: Column | null
  readonly groups: Column | null
  readonly attributes: readonly Column[]
  /** Whether an answer with these columns is read by this shape. */
  isOf(columns: readonly TextColumn[]): boolean
}

interface Column {
  readonly name: string
  readonly index: number
  readonly kind: 'boolean' | 'array' | 'padded' | 'plain'
}

/** The category letter of each type, from `pg_type.typcategory`. */
export type TypeCategories = ReadonlyMap<number, string>

type Row = readonly (string | null)[]

const BPCHAR = 1042
/** json and jsonb. */
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802])
/** The same form as that of every array. */
const TEXT_ARRAY = 1009 as Parameters<typeof types.getTypeParser>[0]
const parseArray: (text: string) => unknown = types.getTypeParser(TEXT_ARRAY)

/**
 * @returns the shape, or a sentence that says what is wrong with the columns; it begins with what they are.
 */
export function readShape(columns: readonly TextColumn[], categories: TypeCategories): AnswerShape | { fault: string } {
  const named = new Map<string, Column>()
  for (const [index, { name, typeId }] of columns.entries()) {
    if (named.has(name)) return { fault: `returns two columns named ${JSON.stringify(name)}.` }
    named.set(name, { name, index, kind: kindOf(typeId, categories) })
  }
  const take = (name: string) => {
    const column = named.get(name) ?? null
    named.delete(name)
    return column
  }
  const [username, passwordHash] = [take('username'), take('password_hash')]
  const [disabled, groups] = [take('disabled'), take('groups')]
  if (username === null || passwordHash === null) {
    const missing = username === null ? 'username' : 'password_hash'
    return { fault: `must return a column named ${missing}, as in: SELECT login AS username, hash AS password_hash ….` }
  }
  if (disabled !== null && disabled.kind !== 'boolean') {
    return {
      fault: 'returns a column "disabled" that is no boolean: compare it, as in (state <> \'active\') AS disabled.',
    }
  }
  if (groups !== null && JSON_TYPES.has(columns[groups.index]?.typeId ?? 0)) {
    return {
      fault:
        'returns a column "groups" that is JSON: make it an array, as in ARRAY(SELECT jsonb_array_elements_text(roles)) ' +
        'AS groups.',
    }
  }
  const attributes = [...named.values()]
  for (const { name } of attributes) {
    const fault = faultInAttributeName(name)
    if (fault !== null)
      return { fault: `returns a column ${JSON.stringify(name)}, and this name of an attribute ${fault}.` }
  }
  const signature = signatureOf(columns)
  const isOf = (others: readonly TextColumn[]) => signatureOf(others) === signature
  return { username, passwordHash, disabled, groups, attributes, isOf }
}

/**
 * The viewer in a row; null for one without a name or a password hash, whom no password lets in. Who is not known to be
 * enabled is disabled.
 */
export function readViewer(row: Row, shape: AnswerShape): StoredViewer | null {
  const username = textOf(row, shape.username)
  const passwordHash = textOf(row, shape.passwordHash)
  if (username === null || passwordHash === null) return null
  const pairs = shape.attributes.flatMap((column): [string, string][] => {
    const value = textOf(row, column)
    return value === null ? [] : [[column.name, value]]
  })
  const groups = shape.groups === null ? [] : groupsOf(row, shape.groups)
  const attributes = Object.fromEntries(pairs)
  return {
    viewer: canonicalViewer({ username, groups, attributes }),
    passwordHash,
    disabled: shape.disabled !== null && textOf(row, shape.disabled) !== 'false',
  }
}

function kindOf(typeId: number, categories: TypeCategories): Column['kind'] {
  const category = categories.get(typeId)
  if (category === 'B') return 'boolean'
  if (category === 'A') return 'array'
  return typeId === BPCHAR ? 'padded' : 'plain'
}

function textOf(row: Row, { index, kind }: Column): string | null {
  const text = row[index] ?? null
  if (text === null) return null
  switch (kind) {
    case 'boolean':
      return text === 't' ? 'true' : 'false'
    case 'array':
      return elementsOf(text).join(',')
    case 'padded':
      return text.replace(/ +$/, '')
    case 'plain':
      return text
  }
}

function groupsOf(row: Row, column: Column): string[] {
  const text = row[column.index] ?? ''
  const names = column.kind === 'array' ? elementsOf(text) : (textOf(row, column) ?? '').split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** Of an array in an array too; NULL is no element. */
function elementsOf(text: string): string[] {
  const parsed = text === '' ? [] : parseArray(text)
  const elements: unknown[] = Array.isArray(parsed) ? parsed.flat(Number.POSITIVE_INFINITY) : []
  return elements.filter((element) => typeof element === 'string')
}

function signatureOf(columns: readonly TextColumn[]): string {
  return JSON.stringify(columns.map(({ name, typeId }) => [name, typeId]))
}
