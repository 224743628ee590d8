import { z } from 'zod'
import type { PeakRow, SeriesRow, ViewerRow, ViewRow } from './report-rows.ts'

const Count = z.int().min(0)
/** The next page of a list, and the facts of the pages before that its check needs. */
export const Cursor = z.object({
  page: z.int().min(1),
  limit: z.int().min(1),
  /** The limit of the service, which may be lower than that of the first question. */
  mostRows: z.int().min(1),
  /** The last row of the page before, and its index on this page. Null if this page repeats no row. */
  edge: z.object({ id: z.string(), at: Count }).nullable(),
  /** The different rows so far. */
  rows: Count,
  /** The `count` of the page before. */
  count: z.number().nullable(),
})
export type Cursor = z.output<typeof Cursor>

/** The rows of a list so far. */
export interface SeenRows {
  has(id: string): boolean
  add(id: string): unknown
}

/** Counts the pages that showed a change of the list, as the words of `OddFields`. */
export const MOVED = 'pages moved while the list was read'

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** The service's `count`. The documentation does not say what it counts. */
  readonly count: number | null
  /** The limit in the link to the next page, else the limit that was asked for. Null on the last page. */
  readonly nextLimit: number | null
}

export function firstPage(mostRows: number): Cursor {
  return { page: 1, limit: mostRows, mostRows, edge: null, rows: 0, count: null }
}

/**
 * Follows a list that may change while it is read: such a list repeats rows and hides others. Each full page repeats the
 * last row of the page before. A page shows a change if this row is another, if other rows come again, or if `count`
 * says so.
 * @returns the new rows, and the next page; null after the last.
 */
export function followList<Row extends ListRow>(
  cursor: Cursor,
  page: ListPage<Row>,
  seen: SeenRows,
): { readonly rows: readonly Row[]; readonly isMoved: boolean; readonly next: Cursor | null } {
  const { edge } = cursor
  const ids = page.rows.map(idOf)
  // A row that is on one page twice stays so: only rows of earlier pages are repeats.
  const isAgain = ids.map((id) => seen.has(id))
  for (const id of ids) seen.add(id)
  const fresh = page.rows.filter((_row, index) => !isAgain[index])
  const rows = cursor.rows + fresh.length
  const isEdgeOther = edge !== null && ids[edge.at] !== edge.id
  const isMoved = isEdgeOther || isAgain.lastIndexOf(true) > (edge?.at ?? -1) || isCountMoved(cursor, page, rows)
  if (page.nextLimit === null) return { rows: fresh, isMoved, next: null }
  return { rows: fresh, isMoved, next: { rows, count: page.count, ...pageAfter(cursor, page.rows, page.nextLimit) } }
}

type ListRow = ViewerRow | ViewRow | SeriesRow | PeakRow

/** Returns the text that tells the rows of one list apart. */
function idOf(row: ListRow): string {
  if ('segments' in row) return row.viewer_identifier
  if ('view_id' in row) return row.view_id
  return 'point' in row ? `${row.dimension_type} ${row.point}` : `${row.content_type} ${row.content_id} ${row.time}`
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
