import { z } from 'zod'
import type { SqlWork } from '../own-tables/sql-work.ts'
import { type ViewerTables, viewersOf } from '../own-tables/viewer-tables.ts'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import { usernameKey } from '../viewer-fields.ts'
import {
  type Existing,
  type ImportedViewer,
  type ImportOutcome,
  type MovesViewers,
  mayChange,
  newViewer,
  outcomeForKnown,
} from './import-rules.ts'

/** The statements of an import. The JSON of a list of rows, with the columns of the table, is `$1`. */
export interface BatchDialect {
  /** Adds the rows whose keys are unknown, and returns these keys. */
  readonly insert: string
  /** Selects the viewers with the list of keys `$1`, and locks them. */
  readonly load: string
  /** Replaces groups, state and attributes. */
  readonly update: string
}

type Keyed = readonly [key: string, imported: ImportedViewer]

const KeyRows = z.array(z.object({ key: z.string() }))

/** Imports viewers into tables of this app, and exports them. A batch of any size takes three statements. */
export function ownBatches(tables: ViewerTables, dialect: BatchDialect): MovesViewers {
  return {
    importBatch: (viewers, existing) => tables.change(importAll(tables, dialect, viewers, existing)),
    exportAll: () => tables.list(tables.readViewer),
  }
}

function* importAll(
  tables: ViewerTables,
  dialect: BatchDialect,
  viewers: readonly ImportedViewer[],
  existing: Existing,
): SqlWork<ImportOutcome[]> {
  const outcomes: ImportOutcome[] = []
  for (const round of rounds(viewers)) outcomes.push(...(yield* importRound(tables, dialect, round, existing)))
  return outcomes
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

function* importRound(
  tables: ViewerTables,
  { insert, load, update }: BatchDialect,
  round: readonly Keyed[],
  existing: Existing,
): SqlWork<ImportOutcome[]> {
  const added = new Set(KeyRows.parse(yield [insert, JSON.stringify(round.flatMap(newRow))]).map(({ key }) => key))
  const changeable = round.filter(([key, imported]) => !added.has(key) && mayChange(imported, existing))
  const keys = changeable.map(([key]) => key)
  const stored = keys.length > 0 ? yield* viewersOf(tables, load, keys) : []
  const known = new Map(stored.map((one) => [usernameKey(one.viewer.username), one]))
  const updates: object[] = []
  const outcomes = round.map(([key, imported]): ImportOutcome => {
    if (added.has(key)) return 'added'
    if (!mayChange(imported, existing)) return 'unchanged'
    const result = outcomeForKnown(imported, known.get(key) ?? null, existing)
    if (result.outcome === 'updated') updates.push(rowOf(key, result.viewer, result.disabled))
    return result.outcome
  })
  if (updates.length > 0) yield [update, JSON.stringify(updates)]
  return outcomes
}

function newRow([key, imported]: Keyed): object[] {
  if (imported.passwordHash === null) return []
  const viewer = newViewer(imported)
  const { username } = viewer
  return [{ ...rowOf(key, viewer, imported.disabled ?? false), username, password_hash: imported.passwordHash }]
}

function rowOf(key: string, { groups, attributes }: StoredViewer['viewer'], disabled: boolean) {
  return { key, disabled, group_names: groups, attributes }
}
