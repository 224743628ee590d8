import type { DatabaseSync } from 'node:sqlite'
import type { SelectionSql } from './segment-selection.ts'

/**
 * Work in steps. An empty text is a pause: other work of the program may run before the next step.
 * A step over 50,000 segments takes about 20 ms.
 */
export type InSteps<Result> = Generator<'', Result, void>

export interface SegmentScan {
  /** An index that begins with equal columns of the selection and goes on with `started_at`. */
  readonly index: 'segments_by_start' | 'segments_by_content'
  readonly selection: SelectionSql
  /** Two SQL expressions with numbers. Null is read as 0. */
  readonly columns: readonly [string, string]
}

type OnRow = (startedAtSeconds: number, first: number, second: number) => void

const ROWS_PER_STEP = 50_000

/**
 * Calls `onRow` for each selected segment, in the order of `started_at`. The connection must see the same segments in all
 * steps: it is in a transaction, or nothing writes between two steps.
 */
export function* scanSegments(
  database: DatabaseSync,
  { index, selection, columns: [first, second] }: SegmentScan,
  onRow: OnRow,
  rowsPerStep = ROWS_PER_STEP,
): InSteps<void> {
  const run = rowFunction(database)
  const statement = database.prepare(`
    SELECT on_row(started_at, first, second) FROM (
      SELECT started_at, ${first} AS first, ${second} AS second FROM segments INDEXED BY ${index}
      WHERE ${selection.where} AND started_at >= :stepStart
      ORDER BY started_at LIMIT ${rowsPerStep} OFFSET :alreadySeen)`)
  let stepStart = Number.MIN_SAFE_INTEGER
  let alreadySeen = 0
  let rows: number
  do {
    rows = 0
    run.onRow = (startedAt, first, second) => {
      rows += 1
      alreadySeen = startedAt === stepStart ? alreadySeen + 1 : 1
      stepStart = startedAt
      onRow(startedAt, first, second)
    }
    statement.get({ ...selection.parameters, stepStart, alreadySeen })
    yield ''
  } while (rows === rowsPerStep)
}

const rowFunctions = new WeakMap<DatabaseSync, { onRow: OnRow }>()

/** An SQL aggregate function that calls JavaScript is three times as fast as reading the rows of a statement. */
function rowFunction(database: DatabaseSync): { onRow: OnRow } {
  const known = rowFunctions.get(database)
  if (known !== undefined) return known
  const run: { onRow: OnRow } = { onRow: () => {} }
  database.aggregate('on_row', {
    start: 0,
    step: (_state, startedAt, first, second) => {
      run.onRow(Number(startedAt), Number(first), Number(second))
      return 0
    },
  })
  rowFunctions.set(database, run)
  return run
}
