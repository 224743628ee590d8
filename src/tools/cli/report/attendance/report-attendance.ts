import type { DatabaseSync } from 'node:sqlite'
import type { Period } from '../../../video-service/analytics/report-question.ts'
import { withTemporaryDatabase } from '../../output/rows-database.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import type { Service } from '../../service/service.ts'
import type { Outcome } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { openSink, type ReportSink } from '../../terminal/sink.ts'
import { counted } from '../../terminal/text.ts'
import { readTitles } from '../content-titles.ts'
import type { OutputOptions } from '../output-options.ts'
import { inPieces, START } from '../place.ts'
import { asker, assertUnmoved, withProgress } from '../progress.ts'
import { type KeptReport, withKeptReport } from '../resume/kept-report.ts'
import { openSeenRows } from '../resume/seen-rows.ts'
import { readTime } from '../words.ts'
import { nothingToContinue, periodText } from '../write-report.ts'
import { type Attendee, joinAttendance } from './attendance.ts'
import { type AttendanceRow, attendanceRow } from './attendance-rows.ts'
import { type AttendanceQuestion, attendanceQuestions } from './fetch-segments.ts'
import type { Person } from './invited/people.ts'
import { openSegmentTable, type SegmentTable } from './segment-table.ts'
import { summaryOf, summarySentences, summaryWarnings } from './summary.ts'
import { type AttendanceLook, reaching, writeAttendanceTable, writeRows } from './write-attendance.ts'

export interface AttendanceRequest {
  readonly question: AttendanceQuestion
  /** Null for a report without a list. */
  readonly people: readonly Person[] | null
  readonly options: OutputOptions
  readonly look: AttendanceLook
  readonly onKept: () => void
}

const NO_VIEWS =
  'The service has no views in this period. Check the ids and the times: the service does not refuse an unknown id.'

/** Fetches all segments of the period, and writes who came and who was missing. */
export async function reportAttendance(io: CommandIo, service: Service, request: AttendanceRequest): Promise<Outcome> {
  const { question, options } = request
  const { output, html, resume = false, csv, json } = options
  const file = output ?? html
  if (file === undefined || !(csv || json)) {
    await using sink = await openSink(file, io, service.signal)
    const finish = async (write: (sink: ReportSink) => Promise<void>) => {
      await write(sink)
      await sink.finish()
    }
    const rows = (database: DatabaseSync) => ({ database, question, start: null, keep: null, finish })
    return await withTemporaryDatabase((database) => joinAndWrite(io, service, request, rows(database)))
  }
  const { period, channels, videos } = question
  // The segments are kept, in every format.
  const asked = { report: 'views', period, '--channel': channels, '--video': videos } as const
  const { settings } = service
  const timeZone = machineTimeZone()
  const identity = { question: asked, typed: options, format: 'attendance', isForExcel: false, timeZone, settings }
  const outcome = await withKeptReport(file, identity, resume, (kept) => {
    const ofKept = { ...question, period: { ...period, ...kept.question.period } }
    return joinAndWrite(io, service, request, { ...kept, question: ofKept })
  })
  return outcome ?? nothingToContinue(io, file)
}

/** Returns the rows of all who came, and of those who were missing. */
export async function attendanceOf(
  service: Service,
  { question, people, atLeastMs }: Pick<AttendanceRequest, 'question' | 'people'> & Pick<AttendanceLook, 'atLeastMs'>,
): Promise<AttendanceRow[]> {
  const range = rangeOf(question.period)
  const nowMs = Date.now()
  return await withTemporaryDatabase(async (database) => {
    const segments = openSegmentTable(database, range, nowMs)
    const ask = asker(service, openSeenRows(database))
    for await (const page of inPieces(attendanceQuestions(question), START, ask)) {
      assertUnmoved(page)
      for (const row of page.rows) segments.add(row)
    }
    const all = joinAttendance(database, people, { toMs: range.toMs, nowMs })
    return [...reaching(all(), atLeastMs)].map(attendanceRow(machineTimeZone()))
  })
}

/** The segments of a report. */
interface Rows extends Pick<KeptReport, 'database' | 'start' | 'finish'> {
  readonly question: AttendanceQuestion
  /** Null for a report that cannot be continued. */
  readonly keep: KeptReport['keep'] | null
}

async function joinAndWrite(io: CommandIo, service: Service, request: AttendanceRequest, rows: Rows): Promise<Outcome> {
  const { people, options } = request
  const { output = options.html } = options
  const { question, database } = rows
  const range = rangeOf(question.period)
  const nowMs = Date.now()
  let isPartial = false
  const notePartial = () => {
    isPartial = true
  }
  const segments = openSegmentTable(database, range, nowMs)
  await fetchSegments(io, service, rows, segments, { onKept: request.onKept, onDoubt: notePartial })
  service.signal.throwIfAborted()
  const all = joinAttendance(database, people, { toMs: range.toMs, nowMs })
  let count = ''
  await rows.finish(async (sink) => {
    count = await writeFormat(io, service, sink, all, { ...request, question })
  })
  const summary = summaryOf(all())
  const warnings = [...(summary.cameInAll === 0 ? [NO_VIEWS] : []), ...summaryWarnings(summary)]
  for (const warning of warnings) io.stderr.write(`Warning: ${warning}\n`)
  for (const sentence of summarySentences(summary, people !== null)) io.stderr.write(`${sentence}\n`)
  const place = output === undefined ? '' : ` in ${output}`
  io.stderr.write(`${count}${place} (${periodText(question, io.stderr.isTTY === true)})\n`)
  return { ok: true, isPartial }
}

function rangeOf({ from, to }: Period): TimeRange {
  return { fromMs: readTime(from), toMs: readTime(to) }
}

async function fetchSegments(
  io: CommandIo,
  service: Service,
  { question, database, start, keep }: Rows,
  segments: SegmentTable,
  { onKept, onDoubt }: { readonly onKept: () => void; readonly onDoubt: () => void },
): Promise<void> {
  let views = start?.rows ?? 0
  if (start !== null) {
    onKept()
    io.stderr.write(`Continues with ${counted(views, 'view')} so far.\n`)
  }
  const questions = attendanceQuestions(question)
  const ask = asker(service, openSeenRows(database))
  const fetched = withProgress(io, start, (from) => inPieces(questions, from, ask), onDoubt)
  for await (const page of fetched) {
    for (const view of page.rows) segments.add(view)
    views += page.rows.length
    if (keep === null) continue
    keep({ rows: views, next: page.next, odd: [...page.odd] })
    onKept()
  }
}

async function writeFormat(
  io: CommandIo,
  { api, signal }: Service,
  sink: ReportSink,
  all: () => Iterable<Attendee>,
  { question, people, options, look }: AttendanceRequest,
): Promise<string> {
  const { csv, json, html, output } = options
  if (csv || json) return await writeRows(csv ? 'csv' : 'json', sink, all, look)
  if (html === undefined) return await writeAttendanceTable(output === undefined ? io.stdout : null, sink, all, look)
  const [{ attendancePage }, { renderPage }] = await Promise.all([
    import('./attendance-page.ts'),
    import('../../html-page/render-page.ts'),
  ])
  const titles = await readTitles(api, signal)
  const { model, scope } = attendancePage({ question, all, titles, hasList: people !== null, look })
  const source = ' from the analytics of the video service'
  await sink.write(await renderPage(model, { range: rangeOf(question.period), scope, source, nowMs: Date.now() }))
  return counted(summaryOf(all()).cameInAll, 'viewer')
}
