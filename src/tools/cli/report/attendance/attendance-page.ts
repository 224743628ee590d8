import type { PageModel, PageTable, Section } from '../../html-page/page-model.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import { nameWords, numberWords, shareWords, timeWords } from '../../output/words.ts'
import { type ContentTitles, contentName } from '../content-titles.ts'
import { nothing, watchedClasses } from '../page/page-collector.ts'
import { durationWords } from '../words.ts'
import type { Attendee } from './attendance.ts'
import { type GroupRow, groupRows } from './attendance-rows.ts'
import { groupName, nameOf, noteOf } from './attendance-table.ts'
import type { AttendanceQuestion } from './fetch-segments.ts'
import { type AttendanceSummary, summaryOf, summarySentences, summaryWarnings } from './summary.ts'
import { type AttendanceLook, hasReached } from './write-attendance.ts'

interface PageContext {
  readonly question: AttendanceQuestion
  readonly all: () => Iterable<Attendee>
  readonly titles: ContentTitles
  readonly hasList: boolean
  readonly look: AttendanceLook
}

const TITLE = 'Attendance'
/** A browser shows so many rows without a pause. CSV has all. */
const MOST_ROWS = 2_000
const SHOWN_BARS = 20
const MINUTE_MS = 60_000
const CLASSES: readonly (readonly [name: string, belowMs: number])[] = [
  ['Under 5 minutes', 5 * MINUTE_MS],
  ['5 to 15 minutes', 15 * MINUTE_MS],
  ['15 to 45 minutes', 45 * MINUTE_MS],
  ['45 to 90 minutes', 90 * MINUTE_MS],
  ['90 minutes and more', Number.POSITIVE_INFINITY],
]

/** Returns the page, and words for its channels and videos. */
export function attendancePage(context: PageContext): { model: PageModel; scope: string } {
  const { question, all, titles, hasList, look } = context
  const { channels, videos } = question
  const names = [
    ...channels.map((id) => contentName('live', id, titles)),
    ...(videos === 'all' ? ['all videos'] : videos.map((id) => contentName('recorded', id, titles))),
  ]
  const scope = names.join(', ')
  const summary = summaryOf(all())
  const came = summary.cameInAll
  const sentences = summarySentences(summary, hasList).join(' ')
  if (came === 0 && summary.invited === 0) return { scope, model: nothing(TITLE, 'No viewers in this period.') }
  const { figures, sections } = partsOf(context, summary, came)
  const notes = [
    'Only time inside the period counts, and parallel devices of a person count once.',
    ...(look.atLeastMs === null
      ? []
      : [`The names under “Who came” watched for ${durationWords(look.atLeastMs)} or more.`]),
    ...summaryWarnings(summary).map(nameWords),
  ]
  return { scope, model: { title: TITLE, summary: sentences, figures, sections, notes } }
}

function partsOf({ all, hasList, look }: PageContext, summary: AttendanceSummary, came: number) {
  const { invited, missing, unclear, eventMs } = summary
  const least = look.atLeastMs ?? 0
  const times = watchedMs(all(), () => true)
  const total = times.reduce((sum, ms) => sum + ms, 0)
  const classes = watchedClasses(CLASSES)
  for (const ms of times) classes.add(ms)
  const isLongEnough = (one: Attendee) => hasReached(one, look.atLeastMs)
  const figures = [
    ...(hasList ? [{ value: numberWords(invited), label: 'invited' }] : []),
    { value: numberWords(hasList ? summary.came : came), label: hasList ? 'of them came' : 'came' },
    ...(hasList ? [{ value: numberWords(missing), label: 'missing' }] : []),
    ...(unclear > 0 ? [{ value: numberWords(unclear), label: 'unclear' }] : []),
    ...(hasList ? [{ value: numberWords(came - summary.came), label: 'others came' }] : []),
    { value: durationWords(came === 0 ? 0 : total / came), label: 'each on average' },
    ...(least > 0
      ? [
          {
            value: numberWords(watchedMs(all(), isLongEnough).length),
            label: `watched ${durationWords(least)} or more`,
          },
        ]
      : []),
  ]
  const sections = [
    ...(look.isBy ? [groupsSection(groupRows(all(), look.atLeastMs))] : []),
    classes.section(times.length),
    ...people('Who came', all, (one) => one.watched !== null && isLongEnough(one), eventMs),
    ...people('Unclear', all, ({ status }) => status === 'unclear'),
    ...people('Missing', all, ({ status }) => status === 'missing'),
  ]
  return { figures, sections }
}

function watchedMs(attendees: Iterable<Attendee>, counts: (one: Attendee) => boolean): number[] {
  const found: number[] = []
  for (const one of attendees) if (one.watched !== null && counts(one)) found.push(one.watched.ms)
  return found
}

function groupsSection(rows: readonly GroupRow[]): Section {
  const invited = rows.filter(({ kind }) => kind === 'invited')
  const bars = invited.slice(0, SHOWN_BARS).map((row) => ({
    name: nameWords(groupName(row)),
    value: row.people === 0 ? 0 : row.came / row.people,
    aside: `${numberWords(row.came)} of ${numberWords(row.people)} · ${shareWords(row.came, row.people)}`,
  }))
  return {
    title: 'Groups',
    words:
      invited.length > bars.length
        ? `The first ${bars.length} of ${numberWords(invited.length)}.`
        : 'Who came of each.',
    chart: barsChart(bars, 1),
    table: {
      columns: ['Group', 'People', 'Came', 'Missing', 'Unclear', 'Minutes each'],
      rows: rows
        .slice(0, MOST_ROWS)
        .map((row) => [
          ...[nameWords(groupName(row)), row.people, row.came, row.missing, row.unclear, row.average_minutes],
        ]),
    },
  }
}

/**
 * Returns a section with those who watched longest, and a table. None without a row.
 * @param eventMs the time that fills the width of a bar.
 */
function people(
  title: string,
  all: () => Iterable<Attendee>,
  isShown: (one: Attendee) => boolean,
  eventMs = 0,
): Section[] {
  let count = 0
  let longest: Attendee[] = []
  const rows: (string | number)[][] = []
  for (const one of all()) {
    if (!isShown(one)) continue
    count += 1
    if (rows.length < MOST_ROWS) rows.push(cellsOf(one))
    const isAmong = longest.length < SHOWN_BARS || msOf(one) > msOf(longest.at(-1))
    if (isAmong) longest = [...longest, one].sort((a, b) => msOf(b) - msOf(a)).slice(0, SHOWN_BARS)
  }
  if (count === 0) return []
  const table: PageTable = { columns: columnsOf(rows), rows }
  const inTable = count > rows.length ? ` The table has the first ${numberWords(rows.length)}, and CSV has all.` : ''
  const shown = count > longest.length ? `Here are ${longest.length} of ${numberWords(count)}.` : `All ${count}.`
  const bars = longest.map((one) => ({
    name: nameWords(nameOf(one)),
    value: msOf(one),
    aside: one.watched === null ? '' : durationWords(msOf(one)),
  }))
  const scale = eventMs > 0 ? ` A whole bar is ${durationWords(eventMs)}, from the first start to the last end.` : ''
  const whole = eventMs > 0 ? Math.max(eventMs, msOf(longest[0])) : null
  return [{ title, words: shown + scale + inTable, chart: barsChart(bars, whole), table }]
}

function msOf(one: Attendee | undefined): number {
  return one?.watched?.ms ?? 0
}

function noteWords(one: Attendee): string {
  return [...one.groups, noteOf(one)].filter((text) => text !== '').join('; ')
}

function columnsOf([row = []]: readonly (readonly (string | number)[])[]): string[] {
  const all = ['Viewer', 'Note', 'First in', 'Last out', 'Minutes live', 'Recorded', 'In all']
  return all.slice(0, row.length)
}

function cellsOf(one: Attendee): (string | number)[] {
  const { watched } = one
  const note = noteWords(one)
  const name = [nameWords(nameOf(one)), note === '' ? '' : nameWords(note)]
  if (watched === null) return name
  const { firstMs, lastMs, liveMs, recordedMs, ms } = watched
  const tenths = [liveMs, recordedMs, ms].map((time) => Math.round((time / MINUTE_MS) * 10) / 10)
  return [...name, timeWords(firstMs), timeWords(lastMs), ...tenths]
}
