import type { DatabaseSync } from 'node:sqlite'
import { paginate } from './pagination.ts'
import { answerPeaks } from './report-peaks.ts'
import type { ReportQuestion } from './report-question.ts'
import { answerSeries } from './report-series.ts'
import { answerViewers, type ViewerItem } from './report-viewers.ts'
import { answerViews } from './report-views.ts'

interface Answer {
  /** The number of items on all pages. */
  readonly count: number
  /** The items of this page, each in pieces of JSON text. */
  readonly items: Iterable<Iterable<string>>
}

const CHUNK_CHARACTERS = 32_768

/**
 * Makes the body of the answer in chunks of about 32 kB, each when the caller asks for it. A page is never in memory as
 * a whole. An empty chunk is a pause, in which other work may run. Statements stay open between two chunks, so nothing
 * may write through this connection until the last chunk.
 */
export function* answerReport(database: DatabaseSync, question: ReportQuestion): Generator<string, void> {
  const { count, items } = answer(database, question)
  yield ''
  let text = '{"data":['
  let isFirst = true
  for (const item of items) {
    if (!isFirst) text += ','
    isFirst = false
    for (const piece of item) {
      text += piece
      if (text.length < CHUNK_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield `${text}],"pagination":${JSON.stringify(paginate(question, count))}}`
}

function answer(database: DatabaseSync, question: ReportQuestion): Answer {
  const { report } = question
  switch (report.kind) {
    case 'viewers': {
      const { count, items } = answerViewers(database, { ...question, report })
      return { count, items: inPieces(items, viewerPieces) }
    }
    case 'views': {
      const { count, items } = answerViews(database, { ...question, report })
      return { count, items: inPieces(items, wholeItem('View')) }
    }
    case 'series': {
      const { number, limit } = question.page
      const all = answerSeries(database, { ...question, report })
      return { count: all.length, items: all.slice((number - 1) * limit, number * limit).map(wholeItem('Series')) }
    }
    case 'peaks':
    case 'watched': {
      const { count, items } = answerPeaks(database, { ...question, report })
      return { count, items: items.map(wholeItem(report.kind === 'peaks' ? 'PeakSeries' : 'ViewerSecondSeries')) }
    }
  }
}

/** One item after the other: a page may be large. */
function* inPieces<Item>(
  items: Iterable<Item>,
  piecesOf: (item: Item) => Iterable<string>,
): Iterable<Iterable<string>> {
  for (const item of items) yield piecesOf(item)
}

function wholeItem(type: string): (attributes: object) => [string] {
  return (attributes) => [JSON.stringify({ type, attributes })]
}

/** In pieces, because a viewer may have any number of segments. */
function* viewerPieces({ segments, ...attributes }: ViewerItem): Iterable<string> {
  yield `{"type":"Viewer","attributes":${JSON.stringify(attributes).slice(0, -1)},"segments":[`
  let separator = ''
  for (const segment of segments) {
    yield separator + JSON.stringify(segment)
    separator = ','
  }
  yield ']}}'
}
