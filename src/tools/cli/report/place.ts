import type { Page } from '../../video-service/analytics.ts'
import type { OddFields } from '../../video-service/report-rows.ts'

/** The next page of a report, which may be several questions to the service. */
export interface Place {
  /** The number of pages before, of all questions. */
  readonly pages: number
  /** The index of the question. */
  readonly piece: number
  /** The number of the page of this question. */
  readonly page: number
  /** The sum of the rows of this question so far, where it makes one number. */
  readonly sum: number
}

export type PlacedPage<Row> = Page<Row> & {
  /** Null after the last page of the report. */
  readonly next: Place | null
}

export const START: Place = { pages: 0, piece: 0, page: 1, sum: 0 }

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
    for await (const { sum = 0, ...page } of ask(piece, index === start.piece ? start : START)) {
      pages += 1
      odd = sumOfOdd(page.odd, earlier)
      const after = index === pieces.length - 1 ? null : { pages, piece: index + 1, page: 1, sum: 0 }
      const next = page.isLast ? after : { pages, piece: index, page: page.number + 1, sum }
      yield { ...page, number: pages, odd, isLast: next === null, next }
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
