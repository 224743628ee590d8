import { ConfigError } from '../../../errors.ts'
import { type Page, pages } from '../../video-service/analytics/analytics.ts'
import { MOVED, type SeenRows } from '../../video-service/analytics/moving-list.ts'
import type { Question } from '../../video-service/analytics/report-question.ts'
import type { OddFields, RowOf } from '../../video-service/analytics/report-rows.ts'
import type { Service } from '../service/service.ts'
import type { CommandIo } from '../terminal/io.ts'
import { canRedraw } from '../terminal/progress.ts'
import { type Place, type PlacedPage, START, sumOfOdd } from './place.ts'
import type { Kept } from './resume/kept-report.ts'

const REDRAW_MS = 1_000
/** Interval of lines in a log. */
const LINE_EVERY_MS = 15_000
const CHANGED =
  'the list of the service changed while it was read, so rows may be missing. Ask again later, or for a period that has ended.'

/**
 * Shows the progress of a report: one redrawn line on a terminal, elsewhere a new line every 15 s.
 * @param before the pages and rows of an interrupted report.
 */
export function startReportProgress(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  before = { pages: 0, rows: 0 },
) {
  const isDrawn = canRedraw({ stderr, env })
  const beganMs = performance.now()
  let { pages, rows } = before
  const text = () => {
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    return `Waiting for page ${pages + 1}: ${rows.toLocaleString('en')} rows so far, ${seconds} s`
  }
  // Redrawing clears only one line.
  const fitting = () => text().slice(0, (stderr.columns ?? 80) - 1)
  const draw = stderr.isTTY
    ? () => void stderr.write(`\r\u001b[2K${fitting()}`)
    : () => void stderr.write(`${text()}\n`)
  const timer = setInterval(draw, isDrawn ? REDRAW_MS : LINE_EVERY_MS)
  return {
    page(number: number, count: number): void {
      pages = number
      rows += count
      if (isDrawn) draw()
    },
    end(): void {
      clearInterval(timer)
      if (isDrawn) stderr.write('\r\u001b[2K')
    },
  }
}

/** Fetches the pages of one question, from a place on. */
export type Ask = <Q extends Question>(question: Q, from?: Place) => AsyncGenerator<Page<RowOf<Q>>>

/** @param seen returns the rows of one question so far. Default: they are in memory. */
export function asker(service: Service, seen: (list: number) => SeenRows = () => new Set()): Ask {
  const { settings, send, analyticsToken: token, signal } = service
  return (question, { piece, cursor } = START) =>
    pages({ settings, send, token }, question, signal, { cursor, seen: seen(piece) })
}

/** @throws ConfigError for a list that changed while it was read. */
export function assertUnmoved({ odd }: Pick<Page<unknown>, 'odd'>): void {
  if (!odd.has(MOVED)) return
  throw new ConfigError('The list of the service changed meanwhile. Try again.', { coded: { code: 'listChanged' } })
}

/**
 * Fetches page by page, and shows the progress. Adds the odd fields of an interrupted report, and warns of all at the end.
 * @param start null for a new report.
 * @param fetched fetches the pages from this place on. It is not called if all pages are there.
 * @param onDoubt is called at the end if the list changed, and rows may be missing.
 */
export async function* withProgress<Row>(
  io: CommandIo,
  start: Kept | null,
  fetched: (from: Place) => AsyncGenerator<PlacedPage<Row>>,
  onDoubt: () => void,
): AsyncGenerator<PlacedPage<Row>> {
  const from = start === null ? START : start.next
  const earlier = start?.odd ?? []
  const progress = startReportProgress(io, { pages: from?.pages ?? 0, rows: start?.rows ?? 0 })
  let odd: OddFields = new Map(earlier)
  try {
    if (from === null) return
    for await (const page of fetched(from)) {
      odd = sumOfOdd(page.odd, earlier)
      progress.page(page.pages, page.rows.length)
      yield { ...page, odd }
    }
  } finally {
    progress.end()
    const fields = [...odd].filter(([words]) => words !== MOVED)
    const said = fields.map(([words, times]) => `${words} (${times.toLocaleString('en')}×)`).join(', ')
    if (said !== '') io.stderr.write(`Warning: odd fields in the answers of the service: ${said}\n`)
    if (odd.has(MOVED)) {
      io.stderr.write(`Warning: ${CHANGED}\n`)
      onDoubt()
    }
  }
}
