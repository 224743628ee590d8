import type { Page } from '../../video-service/analytics/analytics.ts'
import type { Cursor } from '../../video-service/analytics/moving-list.ts'
import type { OddFields } from '../../video-service/analytics/report-rows.ts'

/** The next page of a report, which may be several questions to the service. */
export interface Place {
  /** The number of pages before, of all questions. */
  readonly pages: number
  /** The index of the question. */
  readonly piece: number
  /** The page of this question. Null for the first. */
  readonly cursor: Cursor | null
  /** The sum of the rows of this question so far, where it makes one number. */
  readonly sum: number
}

export type PlacedPage<Row> = Page<Row> & {
  /** The number of pages so far, of all questions. */
  readonly pages: number
  /** Null after the last page of the report. */
  readonly next: Place | null
}

export const START: Place = { pages: 0, piece: 0, cursor: null, sum: 0 }

/**
 * Fetches the answers to several questions, one after the other. Adds to each page the next place, and all odd fields so far.
 * @param start where an interrupted report goes on.
 * @param ask fetches the pages of one question from a place on. A page can have the sum of its rows so far.
 */
export async function* inPieces<Piece, Row>(
  pieces: readonly Piece[],
  start: Place,
  ask: (piece: Piece, from: Place) => AsyncGenerator<Page<Row> & { readonly sum?: number }>,
): AsyncGenerator<PlacedPage<Row>> {
  let pages = start.pages
  let earlier: OddFields = new Map()
  for (const [index, piece] of pieces.entries()) {
    if (index < start.piece) continue
    let odd = earlier
    for await (const { sum = 0, ...page } of ask(piece, index === start.piece ? start : { ...START, piece: index })) {
      pages += 1
      odd = sumOfOdd(page.odd, earlier)
      const { cursor } = page
      const after = index === pieces.length - 1 ? null : { pages, piece: index + 1, cursor, sum: 0 }
      yield { ...page, pages, odd, next: cursor === null ? after : { pages, piece: index, cursor, sum } }
    }
    earlier = odd
  }
}

/** Adds up the odd fields of two answers. */
export function sumOfOdd(one: OddFields, others: Iterable<readonly [field: string, times: number]>): OddFields {
  const sum: OddFields = new Map(one)
  for (const [field, times] of others) sum.set(field, (sum.get(field) ?? 0) + times)
  return sum
}
