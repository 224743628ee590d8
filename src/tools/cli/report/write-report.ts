import type { DatabaseSync } from 'node:sqlite'
import type { Question } from '../../video-service/analytics/report-question.ts'
import type { PeriodOptions } from '../output/period.ts'
import { JSON_ROWS, type RowForm, rowWriter } from '../output/row-writer.ts'
import { withTemporaryDatabase } from '../output/rows-database.ts'
import { machineTimeZone } from '../output/time-zone.ts'
import type { Service } from '../service/service.ts'
import type { Outcome } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { openSink, type ReportSink } from '../terminal/sink.ts'
import { MOST_TABLE_ROWS } from '../terminal/table.ts'
import { counted } from '../terminal/text.ts'
import { type ContentTitles, NO_TITLES, readTitles } from './content-titles.ts'
import { type SeriesQuestion, timeUnitOf } from './local-pieces.ts'
import { localSeries } from './local-rows.ts'
import { localTimes } from './local-times.ts'
import { inPieces, type Place, type PlacedPage } from './place.ts'
import { type Ask, asker, withProgress } from './progress.ts'
import { type Kept, type KeptReport, withKeptReport } from './resume/kept-report.ts'
import { openSeenRows } from './resume/seen-rows.ts'
import { csvHeader, csvLine, type ReportRow } from './rows.ts'
import { fetchTotals } from './series-totals.ts'
import { writeTable } from './table/fit-table.ts'
import { tableCells, tableColumns, timeText } from './table/report-table.ts'

export type ReportFormat = 'table' | 'csv' | 'json' | 'html'

interface ReportOptions {
  readonly format: ReportFormat
  /** Path of a file; undefined for standard output. */
  readonly output: string | undefined
  readonly isForExcel?: boolean
  /** The options of the period as typed. */
  readonly typed: PeriodOptions
  /** True to continue an interrupted report. */
  readonly isResumed?: boolean
  /** Called when a page is kept, so that the report can be continued. */
  readonly onKept?: () => void
}

/** Fetches and writes a report page by page, so that a report of any length needs the memory of one page. */
export async function writeReport(
  io: CommandIo,
  service: Service,
  question: Question,
  options: ReportOptions,
): Promise<Outcome> {
  const { format, output, isForExcel = false, typed, isResumed = false } = options
  if (output === undefined || format === 'table' || format === 'html') {
    await using sink = await openSink(output, io, service.signal)
    return await withTemporaryDatabase((database) =>
      fetchReport(io, service, { ...options, question, sink, database, kept: null }),
    )
  }
  const timeZone = machineTimeZone()
  const asked = { question, typed, format, isForExcel, timeZone, settings: service.settings }
  const outcome = await withKeptReport(output, asked, isResumed, (kept) =>
    fetchReport(io, service, {
      ...options,
      question: kept.question,
      sink: keptText(kept),
      database: kept.database,
      kept,
    }),
  )
  return outcome ?? nothingToContinue(io, output)
}

/** Says that the file is complete. */
export function nothingToContinue(io: CommandIo, output: string): Outcome {
  io.stderr.write(`Nothing to continue: ${output} is complete. For a new report, leave out --resume.\n`)
  return { ok: true }
}

/** Keeps the text of a report, and writes its file at the end. */
function keptText({ database, finish }: KeptReport): ReportSink {
  const insert = database.prepare('INSERT INTO text VALUES (?)')
  return {
    write(text) {
      insert.run(Buffer.from(text))
      return Promise.resolve()
    },
    finish: () =>
      finish(async (sink) => {
        for (const { chunk } of database.prepare('SELECT chunk FROM text ORDER BY rowid').iterate()) {
          await sink.write(chunk as Uint8Array)
        }
      }),
  }
}

interface Destination extends ReportOptions {
  readonly question: Question
  readonly sink: ReportSink
  /** Remembers the rows so far. */
  readonly database: DatabaseSync
  /** Null if a cut report leaves nothing. */
  readonly kept: KeptReport | null
}

async function fetchReport(
  io: CommandIo,
  service: Service,
  { question, sink, database, kept, format, output, isForExcel = false, onKept }: Destination,
): Promise<Outcome> {
  const end = new AbortController()
  try {
    const start = kept?.start ?? null
    if (start !== null) {
      onKept?.()
      const rows = `after page ${start.next?.pages ?? 'the last'}`
      io.stderr.write(`Continues ${output} ${rows}, with ${counted(start.rows, 'row')} so far.\n`)
    }
    let isPartial = false
    const fetched = pagesWithProgress(io, asker(service, openSeenRows(database)), question, start, () => {
      isPartial = true
    })
    const titles = titlesFor(question, format, service, end.signal)
    const stdout = output === undefined ? io.stdout : null
    const keep: WriterContext['keep'] = (rows, { next, odd }) => {
      kept?.keep({ rows, next, odd: [...odd] })
      if (kept !== null) onKept?.()
    }
    const form = formOf(format, question, isForExcel)
    const count = await WRITERS[format]({
      sink,
      database,
      fetched,
      question,
      form,
      titles,
      stdout,
      ask: asker(service),
      start,
      keep,
    })
    service.signal.throwIfAborted()
    await sink.finish()
    const place = output === undefined ? '' : ` in ${output}`
    io.stderr.write(`${count}${place} (${periodText(question, io.stderr.isTTY === true)})\n`)
    return { ok: true, isPartial }
  } finally {
    end.abort()
  }
}

/** Reads the titles while the report is fetched. Returns none if the report is for machines or shows no channel. */
async function titlesFor(
  question: Question,
  format: ReportFormat,
  { api, signal }: Service,
  end: AbortSignal,
): Promise<ContentTitles> {
  const isForPeople = format === 'html' || format === 'table'
  const namesContent = question.report === 'views' || 'granularity' in question
  const hasChannels = question.contentType !== 'recorded' && (namesContent || question.contentIds !== undefined)
  if (!isForPeople || !hasChannels) return NO_TITLES
  return await readTitles(api, AbortSignal.any([signal, end]))
}

export function periodText({ period }: Pick<Question, 'period'>, isTerminal: boolean): string {
  const now = { zone: machineTimeZone(), nowMs: Date.now() }
  const [from, to] = [period?.from, period?.to].map((time) =>
    isTerminal && time !== undefined ? timeText(time, now).trim() : time,
  )
  if (from === undefined) return to === undefined ? 'all time' : `until ${to}`
  return to === undefined ? `since ${from}` : `${from} to ${to}`
}

/** Fetches the report page by page, from its start or where it goes on, and shows the progress. */
function pagesWithProgress(
  io: CommandIo,
  ask: Ask,
  question: Question,
  start: Kept | null,
  onDoubt: () => void,
): AsyncGenerator<PlacedPage<ReportRow>> {
  const zone = machineTimeZone()
  const withLocalTimes = localTimes(zone)
  async function* pagesFrom(from: Place) {
    const fetched =
      'dimension' in question
        ? localSeries(question, zone, (piece: SeriesQuestion, place) => ask(piece, place), from)
        : inPieces([question], from, ask)
    for await (const page of fetched) yield { ...page, rows: page.rows.map(withLocalTimes) }
  }
  return withProgress(io, start, pagesFrom, onDoubt)
}

/** Writes all rows. Returns their number as text. */
type Writer = (context: WriterContext) => Promise<string>

interface WriterContext {
  readonly sink: ReportSink
  readonly database: DatabaseSync
  readonly fetched: AsyncGenerator<PlacedPage<ReportRow>>
  readonly question: Question
  /** The form of the rows in CSV and JSON. */
  readonly form: RowForm<ReportRow>
  readonly titles: Promise<ContentTitles>
  /** Null for a file. */
  readonly stdout: CommandIo['stdout'] | null
  readonly ask: Ask
  /** What the file already has. Null for a new report. */
  readonly start: Kept | null
  /** Is called after each page. @param rows all rows that were written. */
  readonly keep: (rows: number, page: PlacedPage<ReportRow>) => void
}

const WRITERS: Readonly<Record<ReportFormat, Writer>> = {
  table: writeReportTable,
  csv: writeText,
  json: writeText,
  html: writeHtml,
}

async function writeText({ sink, fetched, form, start, keep }: WriterContext): Promise<string> {
  const writer = rowWriter(sink, form, start?.rows ?? null)
  for await (const page of fetched) {
    const written = await writer.add(page.rows)
    await writer.flush()
    keep(written, page)
  }
  return counted(await writer.end(), 'row')
}

function formOf(format: ReportFormat, { report }: Question, isForExcel: boolean): RowForm<ReportRow> {
  if (format === 'json') return JSON_ROWS
  return { head: (isForExcel ? '\ufeff' : '') + csvHeader(report), isJson: false, recordOf: csvLine }
}

/** Fetches no page that the table does not show. */
async function writeReportTable({ sink, fetched, question, titles, stdout }: WriterContext): Promise<string> {
  const now = { zone: machineTimeZone(), nowMs: Date.now() }
  const shown: string[][] = []
  let hasMore = false
  for await (const { rows, next } of fetched) {
    const look = { ...now, titles: await titles }
    const room = MOST_TABLE_ROWS - shown.length
    shown.push(...rows.slice(0, room).map((row) => tableCells(row, look)))
    hasMore = rows.length > room || (rows.length === room && next !== null)
    if (hasMore) break
  }
  if (shown.length > 0) await writeTable(sink, stdout, { titles: tableColumns(question), rows: shown })
  return hasMore
    ? `The first ${counted(shown.length, 'row')}. Use --csv or --json for all`
    : counted(shown.length, 'row')
}

/** Keeps the rows in the database, so that memory stays bounded here too. */
async function writeHtml({ sink, database, fetched, question, titles, ask }: WriterContext): Promise<string> {
  const [{ collectorFor, rangeOf, scopeWords }, { renderPage }] = await Promise.all([
    import('./page/collect-page.ts'),
    import('../html-page/render-page.ts'),
  ])
  const nowMs = Date.now()
  const hasTotals = 'dimension' in question && (question.dimension === 'summary' || timeUnitOf(question) !== null)
  const totals = hasTotals ? await fetchTotals(question, ask) : null
  const collector = collectorFor(question, { nowMs, zone: machineTimeZone(), totals, database })
  let written = 0
  for await (const { rows } of fetched) {
    for (const row of rows) collector.add(row as Parameters<typeof collector.add>[0])
    written += rows.length
  }
  const source = ' from the analytics of the video service'
  const about = { range: rangeOf(question), scope: scopeWords(question, await titles), source, nowMs }
  await sink.write(await renderPage(collector.model(await titles), about))
  return counted(written, 'row')
}
