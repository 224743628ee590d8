import type { Period } from '../../../video-service/report-question.ts'
import type { Outcome } from '../../command.ts'
import { openFileSink, type ReportSink, standardOutput } from '../../output/sink.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import type { Service } from '../../service/service.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { counted } from '../../terminal/text.ts'
import { readTitles } from '../content-titles.ts'
import type { OutputOptions } from '../output-options.ts'
import { START } from '../place.ts'
import { asker, withProgress } from '../progress.ts'
import { openPartFile, type PartFile } from '../resume/part-file.ts'
import { readTime } from '../words.ts'
import { periodText } from '../write-report.ts'
import { type Attendee, joinAttendance } from './attendance.ts'
import { type AttendanceRow, attendanceRow } from './attendance-rows.ts'
import { type AttendanceQuestion, attendanceQuestions, readKeptSegments, segmentPages } from './fetch-segments.ts'
import type { Person } from './invited/people.ts'
import { collectSegments, segmentLine } from './segments.ts'
import { summaryOf, summarySentences, summaryWarnings } from './summary.ts'
import { type AttendanceLook, reaching, writeRows, writeTable } from './write-attendance.ts'

export interface AttendanceRequest {
  readonly question: AttendanceQuestion
  /** Null for a report without a list. */
  readonly people: readonly Person[] | null
  readonly options: OutputOptions
  readonly look: AttendanceLook
  readonly onKept: () => void
}

interface Destination {
  readonly sink: ReportSink
  /** Null for a report that cannot be continued. */
  readonly part: PartFile | null
  readonly question: AttendanceQuestion
}

/** A report does not wait longer for the titles of its channels. */
const TITLES_TIMEOUT_MS = 5_000
const NO_VIEWS =
  'The service has no views in this period. Check the ids and the times: the service does not refuse an unknown id.'

/** Fetches all segments of the period, keeps the times of each viewer, and writes who came and who was missing. */
export async function reportAttendance(io: CommandIo, service: Service, request: AttendanceRequest): Promise<Outcome> {
  const { options, people } = request
  const { output = options.html } = options
  const destination = await openDestination(io, service, request)
  if (destination === null) {
    io.stderr.write(`Nothing to continue: ${output} is complete. For a new report, leave out --resume.\n`)
    return { ok: true }
  }
  const { sink, part, question } = destination
  try {
    const nowMs = Date.now()
    const collected = await fetchSegments(io, service, { ...destination, nowMs, onKept: request.onKept })
    service.signal.throwIfAborted()
    const all = joinAttendance(collected, people)
    let count = ''
    const write = async (to: ReportSink) => {
      count = await writeFormat(io, service, to, all, { ...request, question })
    }
    if (part === null) {
      await write(sink)
      await sink.finish()
    } else await part.finish(write)
    const summary = summaryOf(all())
    const warnings = [...(collected.viewers.length === 0 ? [NO_VIEWS] : []), ...summaryWarnings(summary)]
    for (const warning of warnings) io.stderr.write(`Warning: ${warning}\n`)
    for (const sentence of summarySentences(summary, people !== null)) io.stderr.write(`${sentence}\n`)
    const place = output === undefined ? '' : ` in ${output}`
    io.stderr.write(`${count}${place} (${periodText(question, io.stderr.isTTY === true)})\n`)
    return { ok: true }
  } finally {
    await sink.close()
  }
}

/** Returns the rows of all who came, and of those who were missing. */
export async function attendanceOf(
  service: Service,
  { question, people, atLeastMs }: Pick<AttendanceRequest, 'question' | 'people'> & Pick<AttendanceLook, 'atLeastMs'>,
): Promise<AttendanceRow[]> {
  const collected = collectSegments(rangeOf(question.period), Date.now())
  for await (const page of segmentPages(asker(service), attendanceQuestions(question), START)) {
    for (const row of page.rows) collected.add(row)
  }
  const all = joinAttendance(collected, people)
  return [...reaching(all(), atLeastMs)].map(attendanceRow(machineTimeZone()))
}

/** Opens the file or standard output. Returns null if there is nothing to continue. */
async function openDestination(
  { stdout }: CommandIo,
  { settings, signal }: Service,
  { question, options }: AttendanceRequest,
): Promise<Destination | null> {
  const { output, html, resume = false, csv, json } = options
  const file = output ?? html
  if (file === undefined) return { sink: standardOutput(stdout, signal), part: null, question }
  if (!csv && !json) return { sink: await openFileSink(file), part: null, question }
  const { period, channels, videos } = question
  // The part has the segments, in every format.
  const asked = { report: 'views', period, '--channel': channels, '--video': videos } as const
  const timeZone = machineTimeZone().name
  const identity = { question: asked, typed: options, format: 'attendance', isForExcel: false, timeZone, settings }
  const part = await openPartFile(file, identity, resume)
  const kept = part?.question.period
  return part && { sink: part, part, question: { ...question, period: { ...period, ...kept } } }
}

function rangeOf({ from, to }: Period): TimeRange {
  return { fromMs: readTime(from), toMs: readTime(to) }
}

async function fetchSegments(
  io: CommandIo,
  service: Service,
  { part, question, nowMs, onKept }: Destination & { nowMs: number; onKept: () => void },
) {
  const collected = collectSegments(rangeOf(question.period), nowMs)
  const start = part?.start ?? null
  let rows = start?.rows ?? 0
  if (part !== null && start !== null) {
    onKept()
    io.stderr.write(`Continues with ${counted(rows, 'view')} so far.\n`)
    await readKeptSegments(part, collected)
  }
  const questions = attendanceQuestions(question)
  const fetched = withProgress(io, start, (from) => segmentPages(asker(service), questions, from))
  for await (const page of fetched) {
    for (const row of page.rows) collected.add(row)
    if (part === null) continue
    rows += page.rows.length
    await part.write(page.rows.map(segmentLine).join(''))
    await part.keep({ rows, next: page.next, odd: [...page.odd] })
    onKept()
  }
  return collected
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
  if (html === undefined) return await writeTable(output === undefined ? io.stdout : null, sink, all, look)
  const [{ attendancePage }, { renderPage }] = await Promise.all([
    import('./attendance-page.ts'),
    import('../../html-page/render-page.ts'),
  ])
  const titles = await readTitles(api, AbortSignal.any([signal, AbortSignal.timeout(TITLES_TIMEOUT_MS)]))
  const { model, scope } = attendancePage({ question, all, titles, hasList: people !== null, look })
  const source = ' from the analytics of the video service'
  await sink.write(await renderPage(model, { range: rangeOf(question.period), scope, source, nowMs: Date.now() }))
  const came = Object.values(summaryOf(all()).cameBy).reduce((sum, count) => sum + count, 0)
  return counted(came, 'viewer')
}
