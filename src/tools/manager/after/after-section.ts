import type { ActResult } from '../../cli/command.ts'
import { isoWithOffset } from '../../cli/output/time-zone.ts'
import { cachedOffsets } from '../../cli/report/local-times.ts'
import { windowsOf } from '../../cli/settings/event-times.ts'
import type { Period } from '../../video-service/report-question.ts'
import { ALL_ROLES, type Answer, page, type Sentence, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import { fieldText, readField } from '../pages/typed-times.ts'
import type { Words } from '../pages/words.ts'
import { detailOf } from '../people/viewer-form.ts'
import type { Section, SectionDeps } from '../section.ts'
import { type Cell, excelSheet } from './excel-sheet.ts'

const PATH = '/after'
/** The columns of the sheets, by the names of the reports. */
const ATTENDANCE_COLUMNS = ['viewer', 'kind', 'status', 'first_in', 'last_out', 'minutes', 'groups']
const VIEW_COLUMNS = ['viewer_identifier', 'started_at', 'finished_at', 'country', 'city', 'is_mobile_view']
/** Columns of times, which are ISO 8601 with an offset. */
const TIME_COLUMNS = ['first_in', 'last_out', 'started_at', 'finished_at']
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
const MOST_ROWS = 500
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The channel and the period of a report. Times are as the form has them, in the zone of the page. */
interface Question {
  readonly channel: string
  readonly from: string
  readonly to: string
  readonly isOfStore: boolean
  readonly atLeast: number
}

/** Attendance and views after an event, as the commands `report` have them. */
export const afterSection: Section = {
  open(deps) {
    const reports = { ...attendancePages(deps), ...viewPages(deps) }
    const all = { method: 'get', roles: ALL_ROLES, subject: 'nothing' } as const
    return {
      tab: { path: PATH, text: 'after', roles: ALL_ROLES },
      routes: [
        { ...all, path: PATH, handle: (visit) => showForm(deps, visit) },
        { ...all, path: `${PATH}/attendance`, handle: reports.attendance },
        { ...all, path: `${PATH}/attendance.csv`, handle: reports.attendanceSheet },
        { ...all, path: `${PATH}/views`, handle: reports.views },
        { ...all, path: `${PATH}/views.csv`, handle: reports.viewsSheet },
      ],
    }
  },
}

async function showForm(deps: SectionDeps, visit: Visit, fault = '', status = 200): Promise<Answer> {
  const { words, field, scope } = visit
  const title = words.t.after.title
  // The service counts by channel, and no setting says which channel an entry point is for.
  if (scope.entryPoints !== null) return page('message', { title, current: PATH, text: words.t.after.onlyAll })
  const listed = await deps.reports.channels()
  const channels = listed.ok ? listed.data : []
  const times = defaultTimes(deps, words)
  const form = {
    channel: field('channel'),
    from: LOCAL_TIME.test(field('from')) ? field('from') : times.from,
    to: LOCAL_TIME.test(field('to')) ? field('to') : times.to,
    atLeast: field('atLeast') === '' ? '45' : field('atLeast'),
  }
  const detail = listed.ok || fault !== '' ? fault : (detailOf(listed.fault) ?? words.t.after.noService)
  return page('after', { title, current: PATH, channels, form, fault: detail }, status)
}

/** The last window of doors that has begun, or else today. */
function defaultTimes({ entryPoints, events, nowSeconds }: SectionDeps, { zone }: Words) {
  const text = (ms: number) => fieldText(ms, zone)
  const nowMs = nowSeconds() * 1000
  const windows = windowsOf(entryPoints() ?? [], events)
  const begun = windows
    .flatMap(({ opensAtSeconds: opens, closesAtSeconds: closes }) =>
      opens === null ? [] : { opens: opens * 1000, closes },
    )
    .filter(({ opens }) => opens < nowMs)
    .toSorted((one, other) => other.opens - one.opens)[0]
  const end = begun?.closes ? Math.min(begun.closes * 1000, nowMs) : nowMs
  return { from: begun ? text(begun.opens) : `${text(nowMs - DAY_MS / 2).slice(0, 10)}T00:00`, to: text(end) }
}

/** The rows of a report, or the page that says why there are none. */
type Report<T> =
  | { readonly ok: true; readonly rows: readonly T[]; readonly question: Question }
  | { readonly ok: false; readonly answer: Promise<Answer> }

async function ask<T>(
  deps: SectionDeps,
  visit: Visit,
  read: (question: Question, period: Period) => Promise<ActResult<readonly T[]>>,
): Promise<Report<T>> {
  const { words, scope } = visit
  const question = questionOf(visit)
  if (scope.entryPoints !== null) return { ok: false, answer: showForm(deps, visit) }
  const refuse = ({ text, values }: Sentence) => showForm(deps, visit, words.say(text, values), 400)
  const wrong = 'after.incomplete'
  if (question === null) return { ok: false, answer: refuse({ text: wrong }) }
  const from = readField(question.from, words, wrong)
  const to = readField(question.to, words, wrong)
  if (!from.ok) return { ok: false, answer: refuse(from.fault) }
  if (!to.ok) return { ok: false, answer: refuse(to.fault) }
  if (Date.parse(from.value) > Date.parse(to.value)) return { ok: false, answer: refuse({ text: wrong }) }
  const result = await read(question, { from: from.value, to: to.value })
  if (result.ok) return { ok: true, rows: result.data, question }
  return { ok: false, answer: showForm(deps, visit, detailOf(result.fault) ?? words.t.errors.askEngineer, 502) }
}

function attendancePages(deps: SectionDeps) {
  const read = (visit: Visit) =>
    ask(deps, visit, ({ channel, isOfStore, atLeast }, period) =>
      deps.reports.attendance({ channel, period, isOfStore, atLeastMs: atLeast > 0 ? atLeast * MINUTE_MS : null }),
    )
  async function attendance(visit: Visit): Promise<Answer> {
    const report = await read(visit)
    if (!report.ok) return await report.answer
    const { rows } = report
    const { t } = visit.words
    const counts = Map.groupBy(rows, ({ status }) => status)
    const numbers = [...counts].map(([status, { length }]) => [t.after.statuses[status] ?? status, length])
    return reportPage('attendance', t.after.attendance, report, { numbers })
  }
  async function attendanceSheet(visit: Visit): Promise<Answer> {
    const report = await read(visit)
    return report.ok ? sheetOf(visit, 'attendance', ATTENDANCE_COLUMNS, report.rows) : await report.answer
  }
  return { attendance, attendanceSheet }
}

function viewPages(deps: SectionDeps) {
  const read = (visit: Visit) => ask(deps, visit, ({ channel }, period) => deps.reports.views({ channel, period }))
  async function views(visit: Visit): Promise<Answer> {
    const report = await read(visit)
    if (!report.ok) return await report.answer
    const names = report.rows.map((row) => row.viewer_identifier).filter((name) => name !== null)
    return reportPage('views', visit.words.t.after.views, report, { viewers: new Set(names).size })
  }
  async function viewsSheet(visit: Visit): Promise<Answer> {
    const report = await read(visit)
    return report.ok ? sheetOf(visit, 'views', VIEW_COLUMNS, report.rows) : await report.answer
  }
  return { views, viewsSheet }
}

function reportPage(
  view: 'attendance' | 'views',
  title: string,
  { rows, question }: { readonly rows: readonly object[]; readonly question: Question },
  model: object,
): Answer {
  return page(view, {
    title,
    current: PATH,
    question,
    rows: rows.slice(0, MOST_ROWS),
    total: rows.length,
    sheet: pathOf(['after', `${view}.csv`], queryOf(question)),
    ...model,
  })
}

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Returns a sheet with times in the zone of the page, which the titles name: Excel knows no zones. */
function sheetOf({ words }: Visit, name: string, columns: readonly string[], rows: Rows): Answer {
  const titles = columns.map((column) => {
    const title = words.t.after.columns[column as 'viewer'] ?? column
    return TIME_COLUMNS.includes(column) ? `${title} (${words.zoneName})` : title
  })
  const offsetAt = cachedOffsets(words.zone)
  const local = (text: string) => isoWithOffset(Date.parse(text), offsetAt(Date.parse(text)))
  const cells = rows.map((row) =>
    columns.map((column) => {
      const cell = cellOf(row[column])
      return typeof cell === 'string' && TIME_COLUMNS.includes(column) ? local(cell) : cell
    }),
  )
  return {
    kind: 'file',
    name: `${name}.csv`,
    type: 'text/csv; charset=utf-16le',
    content: excelSheet(titles, cells, words.language),
  }
}

function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.join('; ')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function questionOf({ field }: Visit): Question | null {
  const [channel, from, to] = [field('channel').trim(), field('from'), field('to')]
  const atLeast = Number(field('atLeast') || 0)
  const isRight = /^\d{1,15}$/.test(channel) && LOCAL_TIME.test(from) && LOCAL_TIME.test(to)
  if (!isRight || !Number.isInteger(atLeast) || atLeast < 0 || atLeast > 9_999) return null
  return { channel, from, to, isOfStore: field('invited') === 'on', atLeast }
}

function queryOf({ channel, from, to, isOfStore, atLeast }: Question): Record<string, string> {
  return { channel, from, to, invited: isOfStore ? 'on' : '', atLeast: atLeast > 0 ? String(atLeast) : '' }
}
