import { z } from 'zod'
import type { UpstreamError } from '../../errors.ts'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import type { ViewerState } from '../user-store.ts'
import { toViewerState } from '../viewer-changes.ts'
import { faultInUsername, usernameKey } from '../viewer-fields.ts'
import type { SqlWork, Statement } from './sql-work.ts'

/**
 * The tables of viewers in a database of this app. All such databases run the same statements, in `own-…` files, and differ
 * only in these members.
 */
export interface ViewerTables {
  /** The first part of the names of the tables. */
  readonly schema: string
  /** The end of a SELECT that locks its rows until the end of the transaction. Empty if the transaction locks all rows. */
  readonly locking: string
  /** Reads a list of texts in a column. */
  readonly texts: z.ZodType<string[]>
  /** Reads VIEWER_COLUMNS. @throws UpstreamError for a row that the app did not write. */
  readViewer(row: unknown): StoredViewer
  /** Returns the error for a row that the app did not write. */
  damaged(table: string, cause: Error): UpstreamError
  /** Lists all viewers, sorted by name. @param read reads a row of `statesIn`. */
  list<T>(read: (row: unknown) => T): AsyncGenerator<T>
  /** Runs work whose statements need no transaction. @throws UpstreamError when the database fails. */
  run<T>(work: SqlWork<T>): Promise<T>
  /** Runs work in one transaction. @throws UpstreamError when the database fails. */
  change<T>(work: SqlWork<T>): Promise<T>
}

export const VIEWER_COLUMNS = 'username, password_hash, disabled, group_names, attributes'

const InvitationRow = z.object({ expires_at: z.coerce.number().nullable(), is_sent: z.coerce.boolean() })

/**
 * Returns a function that reads VIEWER_COLUMNS, as `readViewer` of the tables does.
 * @param groups reads the column of the groups.
 */
export function viewerReader(
  groups: z.ZodType<string[]>,
  attributes: z.ZodType<Record<string, string>>,
  damaged: ViewerTables['damaged'],
): ViewerTables['readViewer'] {
  const disabled = z.union([z.boolean(), z.literal([0, 1])])
  const Row = z.object({ username: z.string(), password_hash: z.string(), disabled, group_names: groups, attributes })
  return (row) => {
    const { data, error } = Row.safeParse(row)
    if (error) throw damaged('viewers', error)
    const viewer = { username: data.username, groups: data.group_names, attributes: data.attributes }
    return { viewer, passwordHash: data.password_hash, disabled: Boolean(data.disabled) }
  }
}

/** Returns the key of a name. For an invalid name, the empty key, which no viewer has: some databases refuse NUL. */
export function keyOf(username: string): string {
  return faultInUsername(username) === null ? usernameKey(username) : ''
}

/** Runs a statement with VIEWER_COLUMNS. */
export function* viewersOf(tables: ViewerTables, ...statement: Statement): SqlWork<StoredViewer[]> {
  return (yield statement).map(tables.readViewer)
}

/**
 * Looks up a viewer, disabled or not, who stays as found until the end of the transaction. Comes first in every transaction,
 * so that two of them cannot deadlock.
 */
export function* lockViewer(tables: ViewerTables, username: string): SqlWork<StoredViewer | null> {
  const { schema, locking } = tables
  const sql = `SELECT ${VIEWER_COLUMNS} FROM ${schema}.viewers WHERE key = $1 ${locking}`
  const [viewer = null] = yield* viewersOf(tables, sql, keyOf(username))
  return viewer
}

/** Sets the hash of a password, which ends all links of the viewer. Returns null for an unknown viewer. */
export function* setHash(tables: ViewerTables, username: string, hash: string): SqlWork<StoredViewer | null> {
  const { schema } = tables
  const sql = `UPDATE ${schema}.viewers SET password_hash = $2 WHERE key = $1 RETURNING ${VIEWER_COLUMNS}`
  const [viewer = null] = yield* viewersOf(tables, sql, keyOf(username), hash)
  yield [`DELETE FROM ${schema}.password_links WHERE key = $1`, keyOf(username)]
  return viewer
}

/** Selects the states of viewers. */
export function statesIn(schema: string): string {
  return `
    SELECT viewers.key, ${VIEWER_COLUMNS}, expires_at, is_sent
    FROM ${schema}.viewers LEFT JOIN ${schema}.password_links AS link
      ON link.key = viewers.key AND link.purpose = 'invitation'`
}

export function readViewerState(tables: ViewerTables, row: unknown): ViewerState {
  const { expires_at, is_sent } = InvitationRow.parse(row)
  const invitation = expires_at === null ? null : { expiresAtSeconds: expires_at, isSent: is_sent }
  return toViewerState(tables.readViewer(row), invitation)
}

/** Returns the state of a viewer; null if unknown. */
export function* inspectViewer(tables: ViewerTables, username: string): SqlWork<ViewerState | null> {
  const [row] = yield [`${statesIn(tables.schema)} WHERE viewers.key = $1`, keyOf(username)]
  return row === undefined ? null : readViewerState(tables, row)
}
