import { z } from 'zod'
import type { EditableUserStore } from '../../../editable-user-store.ts'
import {
  type Existing,
  type ImportedViewer,
  type ImportOutcome,
  mayChange,
  newViewer,
  outcomeForKnown,
} from '../../../import-batch/import-rules.ts'
import type { StoredViewer } from '../../../passwords/verify-sign-in.ts'
import { usernameKey } from '../../../viewer-fields.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../../connection.ts'
import { refusalAsUpstreamError } from '../../fault.ts'
import { COLUMNS, readOwnRow } from '../own-table.ts'
import { listViewers, type RowsOf } from '../viewer-states.ts'

type Keyed = readonly [key: string, imported: ImportedViewer]

const KeyRows = z.array(z.object({ key: z.string() }))

/** Locks rows in key order, so that two imports cannot deadlock. */
const INSERT = `
  INSERT INTO viewer_auth.viewers (key, username, password_hash, disabled, group_names, attributes)
  SELECT key, username, password_hash, disabled,
         ARRAY(SELECT name FROM jsonb_array_elements_text(group_names) WITH ORDINALITY AS g (name, place) ORDER BY place),
         attributes
  FROM jsonb_to_recordset($1::jsonb) AS imported (key text, username text, password_hash text, disabled boolean,
                                                 group_names jsonb, attributes jsonb)
  ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING
  RETURNING key`

const LOAD = `
  SELECT ${COLUMNS} FROM viewer_auth.viewers WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE`

const UPDATE = `
  UPDATE viewer_auth.viewers AS known
  SET disabled = imported.disabled,
      group_names = ARRAY(SELECT name FROM jsonb_array_elements_text(imported.group_names)
                          WITH ORDINALITY AS g (name, place) ORDER BY place),
      attributes = imported.attributes
  FROM jsonb_to_recordset($1::jsonb) AS imported (key text, disabled boolean, group_names jsonb, attributes jsonb)
  WHERE known.key = imported.key`

/**
 * Returns the imports and exports of the table. A batch of any size takes three statements.
 * @param ifForbidden what to do if the role lacks a permission.
 */
export function postgresBatches(
  connection: PostgresConnection,
  rowsOf: RowsOf,
  ifForbidden: string,
): Pick<EditableUserStore, 'importBatch' | 'exportAll'> {
  return {
    importBatch(viewers, existing) {
      const work = inTransaction(connection, async (client) => {
        const outcomes: ImportOutcome[] = []
        for (const round of rounds(viewers)) outcomes.push(...(await importRound(client, round, existing)))
        return outcomes
      })
      return refusalAsUpstreamError(work, ifForbidden)
    },
    exportAll: () => listViewers(rowsOf, readOwnRow),
  }
}

/** Splits a batch so that no part has a name twice, because a statement does not see its own changes. */
function rounds(viewers: readonly ImportedViewer[]): Keyed[][] {
  const parts: Keyed[][] = []
  let seen = new Set<string>()
  let part: Keyed[] = []
  for (const imported of viewers) {
    const key = usernameKey(imported.username)
    if (seen.has(key)) {
      parts.push(part)
      part = []
      seen = new Set()
    }
    seen.add(key)
    part.push([key, imported])
  }
  return part.length > 0 ? [...parts, part] : parts
}

async function importRound(client: SqlClient, round: readonly Keyed[], existing: Existing): Promise<ImportOutcome[]> {
  const added = await insertNew(client, round)
  const changeable = round.filter(([key, imported]) => !added.has(key) && mayChange(imported, existing))
  const keys = changeable.map(([key]) => key)
  const known = keys.length > 0 ? await loadForUpdate(client, keys) : new Map<string, StoredViewer>()
  const updates: object[] = []
  const outcomes = round.map(([key, imported]): ImportOutcome => {
    if (added.has(key)) return 'added'
    if (!mayChange(imported, existing)) return 'unchanged'
    const result = outcomeForKnown(imported, known.get(key) ?? null, existing)
    if (result.outcome === 'updated') updates.push(rowOf(key, result.viewer, result.disabled))
    return result.outcome
  })
  if (updates.length > 0) await client.rows(UPDATE, [JSON.stringify(updates)])
  return outcomes
}

async function insertNew(client: SqlClient, round: readonly Keyed[]): Promise<ReadonlySet<string>> {
  const rows = round.flatMap(([key, imported]) => {
    if (imported.passwordHash === null) return []
    const viewer = newViewer(imported)
    const { username } = viewer
    return [{ ...rowOf(key, viewer, imported.disabled ?? false), username, password_hash: imported.passwordHash }]
  })
  if (rows.length === 0) return new Set()
  const inserted = KeyRows.parse(await client.rows(INSERT, [JSON.stringify(rows)]))
  return new Set(inserted.map(({ key }) => key))
}

async function loadForUpdate(client: SqlClient, keys: readonly string[]): Promise<Map<string, StoredViewer>> {
  const known = new Map<string, StoredViewer>()
  for (const row of await client.rows(LOAD, [keys])) {
    const stored = readOwnRow(row)
    if (stored) known.set(usernameKey(stored.viewer.username), stored)
  }
  return known
}

function rowOf(key: string, { groups, attributes }: StoredViewer['viewer'], disabled: boolean) {
  return { key, disabled, group_names: groups, attributes }
}
