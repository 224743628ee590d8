import type { Page } from '../../video-service/analytics.ts'

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

/** Returns the place after a page of the question with the index `piece`, or null after the last of all questions. */
export function placeAfter(
  { isLast, number }: Page<unknown>,
  { pages, piece, of, sum = 0 }: { pages: number; piece: number; of: number; sum?: number },
): Place | null {
  if (!isLast) return { pages, piece, page: number + 1, sum }
  return piece === of - 1 ? null : { pages, piece: piece + 1, page: 1, sum: 0 }
}

/** Adds the place after each page of a report that is one question. */
export async function* placed<Row>(pages: AsyncGenerator<Page<Row>>): AsyncGenerator<PlacedPage<Row>> {
  for await (const page of pages) {
    yield { ...page, next: placeAfter(page, { pages: page.number, piece: 0, of: 1 }) }
  }
}
