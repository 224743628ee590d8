import { z } from 'zod'
import type { OddFields, PeakRow, SeriesRow, ViewerRow, ViewRow } from './report-rows.ts'

const Count = z.int().min(0)
/** The next page of a list, and the facts of this reading that its check needs. */
export const Cursor = z.object({
  page: z.int().min(1),
  limit: z.int().min(1),
  /** The limit of the service, which may be lower than that of the first question. */
  mostRows: z.int().min(1),
  /** The last row of the page before, and its index on this page. Null if this page repeats no row. */
  edge: z.object({ id: z.string(), at: Count }).nullable(),
  /** 1 for the first reading of the list. */
  reading: Count,
  /** The pages of this reading that showed a change of the list. */
  moved: Count,
  /** The different rows of this reading so far. */
  rows: Count,
  /** The `count` of the page before. */
  count: z.number().nullable(),
})
export type Cursor = z.output<typeof Cursor>

/** Remembers in which reading a row came last. */
export interface SeenRows {
  /** Returns the reading in which the row came before; null for a new row. */
  mark(id: string, reading: number): number | null
}

/** The changes of a list that a report counts, as the words of `OddFields`. */
export const MOVED = {
  repeated: 'rows came twice and were dropped',
  foundLater: 'rows came only when the list was read again',
  unproven: 'pages had moved in the last reading',
} as const

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** The service's `count`. The documentation does not say what it counts. */
  readonly count: number | null
  /** The limit in the link to the next page, else the limit that was asked for. Null on the last page. */
  readonly nextLimit: number | null
}

const MOST_READINGS = 3

export function firstPage(mostRows: number, reading = 1): Cursor {
  return { page: 1, limit: mostRows, mostRows, edge: null, reading, moved: 0, rows: 0, count: null }
}

export function seenInMemory(): SeenRows {
  const readings = new Map<string, number>()
  return {
    mark(id, reading) {
      const before = readings.get(id) ?? null
      readings.set(id, reading)
      return before
    },
  }
}

/**
 * Follows a list that may change while it is read: such a list repeats rows and hides others. Each full page repeats the
 * last row of the page before. A page shows a change if this row is another, if other rows come again, or if `count`
 * says so. After a reading with such a page, the list is read again, up to three times in all.
 * @param odd counts the changes, by the words of MOVED.
 * @returns the new rows, and the next page; null after the last.
 */
export function followList<Row extends ListRow>(
  cursor: Cursor,
  page: ListPage<Row>,
  { seen, odd }: { readonly seen: SeenRows; readonly odd: OddFields },
): { readonly rows: readonly Row[]; readonly next: Cursor | null } {
  const { edge, reading } = cursor
  const sorted = sortRows(cursor, page.rows, seen)
  const note = (words: string, times: number) => {
    if (times > 0) odd.set(words, (odd.get(words) ?? 0) + times)
  }
  note(MOVED.repeated, sorted.repeated)
  if (reading > 1) note(MOVED.foundLater, sorted.fresh.length)
  const rows = cursor.rows + sorted.different
  const isEdgeOther = edge !== null && !sorted.isEdgeKept
  const isMoved = isEdgeOther || sorted.repeated > 0 || isCountMoved(cursor, page, rows)
  const soFar = { reading, rows, count: page.count, moved: cursor.moved + (isMoved ? 1 : 0) }
  if (page.nextLimit !== null) {
    return { rows: sorted.fresh, next: { ...soFar, ...pageAfter(cursor, page.rows, page.nextLimit) } }
  }
  const isAgain = soFar.moved > 0 && reading < MOST_READINGS
  if (!isAgain) note(MOVED.unproven, soFar.moved)
  return { rows: sorted.fresh, next: isAgain ? firstPage(cursor.mostRows, reading + 1) : null }
}

type ListRow = ViewerRow | ViewRow | SeriesRow | PeakRow

/** Returns the text that tells the rows of one list apart. */
function idOf(row: ListRow): string {
  if ('segments' in row) return row.viewer_identifier
  if ('view_id' in row) return row.view_id
  return 'point' in row ? `${row.dimension_type} ${row.point}` : `${row.content_type} ${row.content_id} ${row.time}`
}

/** Finds the new rows. A row that is on one page twice stays so: only rows of earlier pages are repeats. */
function sortRows<Row extends ListRow>({ edge, reading }: Cursor, rows: readonly Row[], seen: SeenRows) {
  const ids = rows.map(idOf)
  const before = new Map([...new Set(ids)].map((id) => [id, seen.mark(id, reading)]))
  const fresh = rows.filter((row) => before.get(idOf(row)) === null)
  const again = ids.map((id) => before.get(id) === reading)
  return {
    fresh,
    different: again.filter((isAgain) => !isAgain).length,
    repeated: again.filter((isAgain, index) => isAgain && index > (edge?.at ?? -1)).length,
    isEdgeKept: edge !== null && ids[edge.at] === edge.id,
  }
}

/** With an edge, only a lower count shows a change: new rows at the end move no page. */
function isCountMoved(
  { edge, count: before, page }: Cursor,
  { count, nextLimit }: ListPage<unknown>,
  rows: number,
): boolean {
  if (count === null) return false
  const isOther = before !== null && (edge === null ? count !== before : count < before)
  return isOther || (edge === null && page > 1 && nextLimit === null && rows < count)
}

/**
 * Returns the page after this one. If the service sent as many rows as its limit, it is the page that repeats the fewest
 * rows, at least one. Pages have no other offsets than the multiples of their limit.
 */
function pageAfter({ page, limit: asked, mostRows: most }: Cursor, rows: readonly ListRow[], limit: number) {
  const mostRows = page === 1 && limit < asked ? limit : most
  let best = { page: page + 1, limit: asked, mostRows, edge: null as Cursor['edge'] }
  const last = rows.at(-1)
  if (rows.length !== limit || last === undefined) return best
  const end = page * limit
  let reached = end
  for (let next = mostRows; next > mostRows / 2; next -= 1) {
    const start = Math.floor((end - 1) / next) * next
    if (start + next <= reached) continue
    reached = start + next
    best = { page: start / next + 1, limit: next, mostRows, edge: { id: idOf(last), at: end - 1 - start } }
  }
  return best
}
