import { localIso } from '../../cli/output/time-zone.ts'
import { windowsOf } from '../../cli/settings/event-times.ts'
import type { ActResult } from '../../cli/terminal/command.ts'
import type { Period } from '../../video-service/analytics/report-question.ts'
import { ALL_ROLES, type Answer, get, page, type Route, type Sentence, sentenceOf, type Visit } from '../door/route.ts'
import { eventNameIn } from '../mails/event-at.ts'
import { pathOf } from '../pages/renderer.ts'
import { fieldText, readField } from '../pages/typed-times.ts'
import type { Words } from '../pages/words.ts'
import type { Section, SectionDeps } from '../section.ts'
import { type Cell, excelSheet } from './excel-sheet.ts'

const PATH = '/after'
/** Columns of times, which are ISO 8601 with an offset. */
const TIME_COLUMNS = ['first_in', 'last_out', 'started_at', 'finished_at']
const MOST_ROWS = 500
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The channel and the period of a report. Times are as the form has them, in the zone of the page. */
type Question = NonNullable<ReturnType<typeof questionOf>>

type Rows = readonly Readonly<Record<string, unknown>>[]

interface Report {
  /** Names its template, its title and its address. */
  readonly name: 'attendance' | 'views'
  /** The columns of the sheet, by their names in the report. */
  readonly columns: readonly string[]
  read(question: Question, period: Period): Promise<ActResult<Rows>>
  sumsOf(rows: Rows, words: Words): object
}

/** Attendance and views after an event, as the commands `report` have them. */
export const afterSection: Section = {
  open: (deps) => ({
    tab: { path: PATH, text: 'after', roles: ALL_ROLES },
    routes: [
      get(PATH, ALL_ROLES, (visit) => showForm(deps, visit)),
      ...reportsOf(deps).flatMap((report) => reportRoutes(deps, report)),
    ],
  }),
}

function reportsOf({ reports }: SectionDeps): readonly Report[] {
  return [
    {
      name: 'attendance',
      columns: ['viewer', 'kind', 'status', 'first_in', 'last_out', 'minutes', 'groups'],
      read: ({ channel, isOfStore, atLeast }, period) =>
        reports.attendance({ channel, period, isOfStore, atLeastMs: atLeast > 0 ? atLeast * MINUTE_MS : null }),
      sumsOf(rows, { t }) {
        const byStatus = Map.groupBy(rows, ({ status }) => String(status))
        return {
          numbers: [...byStatus].map(([status, all]) => [t.after.statuses[status as 'came'] ?? status, all.length]),
        }
      },
    },
    {
      name: 'views',
      columns: ['viewer_identifier', 'started_at', 'finished_at', 'country', 'city', 'is_mobile_view'],
      read: ({ channel }, period) => reports.views({ channel, period }),
      sumsOf(rows) {
        const names = rows.map((row) => row.viewer_identifier).filter((name) => name !== null)
        return { viewers: new Set(names).size }
      },
    },
  ]
}

function reportRoutes(deps: SectionDeps, report: Report): Route[] {
  const { name } = report
  return [
    get(`${PATH}/${name}`, ALL_ROLES, (visit) =>
      ask(deps, visit, report, (rows, asked) =>
        page(name, {
          ...asked,
          current: PATH,
          rows: rows.slice(0, MOST_ROWS),
          total: rows.length,
          sheet: pathOf(['after', `${name}.csv`], queryOf(asked.question)),
          ...report.sumsOf(rows, visit.words),
        }),
      ),
    ),
    get(`${PATH}/${name}.csv`, ALL_ROLES, (visit) =>
      ask(deps, visit, report, (rows, asked) => sheetOf(visit, report, rows, asked)),
    ),
  ]
}

async function showForm(deps: SectionDeps, visit: Visit, refused?: Sentence, status = 400): Promise<Answer> {
  const { words, field, scope } = visit
  const title = words.t.after.title
  // The service counts by channel, and no setting says which channel an entry point is for.
  if (scope.entryPoints !== null) return page('message', { title, current: PATH, text: words.t.after.onlyAll })
  const listed = await deps.reports.channels()
  const channels = listed.ok ? listed.data : []
  const times = defaultTimes(deps, visit)
  const form = {
    channel: field('channel'),
    from: field('from') || times.from,
    to: field('to') || times.to,
    atLeast: field('atLeast') === '' ? '45' : field('atLeast'),
    isInvited: field('channel') === '' || field('invited') === 'on',
  }
  const ofService: Sentence | null = listed.ok ? null : listed.code ? sentenceOf(listed) : { text: 'after.noService' }
  const sentence = refused ?? ofService
  const fault = sentence && words.say(sentence.text, sentence.values)
  return page('after', { title, current: PATH, channels, form, fault }, refused ? status : 200)
}

/** The last window of doors that has begun, or else today. */
function defaultTimes({ entryPoints, events, nowSeconds }: SectionDeps, { scope, words }: Visit) {
  const text = (ms: number) => fieldText(ms, words)
  const nowMs = nowSeconds() * 1000
  const begun = windowsOf(entryPoints()?.filter(({ name }) => scope.showsEntryPoint(name)) ?? [], events)
    .map(({ opensAtSeconds: opens, closesAtSeconds: closes }) => ({ opensMs: (opens ?? Infinity) * 1000, closes }))
    .filter(({ opensMs }) => opensMs < nowMs)
    .toSorted((one, other) => other.opensMs - one.opensMs)[0]
  const end = begun?.closes ? Math.min(begun.closes * 1000, nowMs) : nowMs
  return { from: begun ? text(begun.opensMs) : text(nowMs - DAY_MS / 2).replace(/ .*/, ' 00:00'), to: text(end) }
}

interface Asked {
  readonly question: Question
  readonly period: Period
  readonly title: string
}

/** Answers with the rows of a report, or with the form that says why there are none. */
async function ask(
  deps: SectionDeps,
  visit: Visit,
  { name, read }: Report,
  answer: (rows: Rows, asked: Asked) => Answer,
): Promise<Answer> {
  const { words, scope } = visit
  if (scope.entryPoints !== null) return await showForm(deps, visit)
  const wrong = 'after.incomplete'
  const question = questionOf(visit)
  const from = readField(question?.from ?? '', words, wrong)
  const to = readField(question?.to ?? '', words, wrong)
  const typed = from.ok ? to : from
  if (!typed.ok) return await showForm(deps, visit, typed.fault)
  if (question === null || !from.ok || !to.ok || Date.parse(from.value) > Date.parse(to.value)) {
    return await showForm(deps, visit, { text: wrong })
  }
  const period = { from: from.value, to: to.value }
  const result = await read(question, period)
  if (!result.ok) return await showForm(deps, visit, sentenceOf(result), 502)
  const event = eventIn(deps, visit, period)
  const title = event === null ? words.t.after[name] : `${words.t.after[name]}: ${event}`
  return answer(result.data, { question, period, title })
}

/** Returns the name of the only event in a period. An event without times is in each. Null if several may be meant. */
function eventIn({ entryPoints, events }: SectionDeps, { scope, words }: Visit, { from, to }: Period): string | null {
  const [only, ...others] = (entryPoints() ?? []).filter((one) => {
    const windows = windowsOf([one], events)
    const isInPeriod = windows.some(
      ({ opensAtSeconds: opens, closesAtSeconds: closes }) =>
        (opens ?? 0) * 1000 <= Date.parse(to) && (closes ?? Infinity) * 1000 >= Date.parse(from),
    )
    return scope.showsEntryPoint(one.name) && (isInPeriod || windows.length === 0)
  })
  return only === undefined || others.length > 0 ? null : eventNameIn(events, only, words.language)
}

/** Returns a sheet with times in the zone of the page, which the titles name: Excel knows no zones. */
function sheetOf({ words }: Visit, { columns }: Report, rows: Rows, { title, period }: Asked): Answer {
  const titles = columns.map((column) => {
    const shown = words.t.after.columns[column as 'viewer'] ?? column
    return TIME_COLUMNS.includes(column) ? `${shown} (${words.zoneName})` : shown
  })
  const local = (text: string) => localIso(Date.parse(text), words.zone)
  const cells = rows.map((row) =>
    columns.map((column) => {
      const cell = cellOf(row[column])
      return typeof cell === 'string' && TIME_COLUMNS.includes(column) ? local(cell) : cell
    }),
  )
  return {
    kind: 'file',
    // Windows takes no file with these characters in its name.
    name: `${`${title} ${local(period.from).slice(0, 10)}`.replace(/[\s\p{Cc}"*/:<>?\\|]+/gu, ' ')}.csv`,
    type: 'text/csv; charset=utf-16le',
    content: excelSheet(titles, cells, words.language),
  }
}

function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.join('; ')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function questionOf({ field }: Visit) {
  const channel = field('channel').trim()
  const from = field('from')
  const to = field('to')
  const atLeast = Number(field('atLeast') || 0)
  if (!/^\d{1,15}$/.test(channel) || !Number.isInteger(atLeast) || atLeast < 0 || atLeast > 9_999) return null
  return { channel, from, to, isOfStore: field('invited') === 'on', atLeast }
}

function queryOf({ channel, from, to, isOfStore, atLeast }: Question): Record<string, string> {
  return { channel, from, to, invited: isOfStore ? 'on' : '', atLeast: atLeast > 0 ? String(atLeast) : '' }
}
