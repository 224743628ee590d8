import type { Question } from '../../../video-service/analytics/report-question.ts'
import type { TimeZone } from '../../output/time-zone.ts'
import { type ContentTitles, contentName } from '../content-titles.ts'
import type { LocalSeriesRow } from '../local-rows.ts'
import { type ReportRow, seriesGroup } from '../rows.ts'
import headings from './headings.json' with { type: 'json' }

export interface TableLook {
  /** Null for a file or a pipe: times are then as in the data, and a channel or video has its id. */
  readonly terminal: { readonly zone: TimeZone; readonly nowMs: number } | null
  readonly titles: ContentTitles
}

const DAY_MS = 86_400_000
/** Stands at a terminal for a viewer without a sign-in. */
const GUEST = '(guest)'
// biome-ignore format: one line is easier to check
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Returns the titles of the columns of a report. */
export function tableColumns(question: Question, isTerminal: boolean): readonly string[] {
  if (!isTerminal || !('dimension' in question)) return headings.columns[question.report]
  return [headings.points[question.dimension], headings.values[question.report]]
}

/** Returns the cells of a row, in the order of `tableColumns`. */
export function tableCells(row: ReportRow, look: TableLook): string[] {
  const { terminal, titles } = look
  const time = (text: string) => (terminal === null ? text : timeText(text, terminal))
  const finished = (from: string, to: string) => (terminal === null ? to : finishedText(from, to, terminal))
  const content = (type: 'live' | 'recorded', id: string) => {
    if (terminal !== null) return contentName(type, id, titles)
    const title = titles.get(contentName(type, id))
    return title === undefined ? `${type} ${id}` : `${title} (${type} ${id})`
  }
  if ('segments' in row) {
    return [
      row.viewer_identifier,
      time(row.last_activity),
      String(row.videos_watched ?? ''),
      String(row.segments.length),
    ]
  }
  if ('view_id' in row) {
    const system = row.device_info?.os.family
    const browser = row.device_info?.browser.family
    return [
      time(row.started_at),
      row.finished_at ? finished(row.started_at, row.finished_at) : 'watching',
      row.viewer_identifier ?? (terminal === null ? '' : GUEST),
      content(row.content_type, row.content_id),
      [row.city, row.country].filter(Boolean).join(', '),
      // The system comes first, because a narrow terminal cuts the end.
      terminal === null ? [browser, system].filter(Boolean).join(' on ') : [system, browser].filter(Boolean).join(', '),
    ]
  }
  if ('dimension_type' in row) return [seriesPoint(row, look), String(row.value)]
  return [time(row.time), content(row.content_type, row.content_id), String(row.value)]
}

/** The `point` of a group is only the start of the period, so the group is shown instead. */
function seriesPoint(row: LocalSeriesRow, { terminal }: TableLook): string {
  if (row.dimension_type.includes(':')) return seriesGroup(row)
  return [terminal === null ? row.point : pointText(row, terminal), ...seriesMarks(row)].join(' ')
}

/** Returns words for the marks of a number. */
function seriesMarks(row: LocalSeriesRow): string[] {
  return [
    ...(row.is_partial ? ['(part)'] : []),
    ...(row.has_running_views ? ['(with views running at its start)'] : []),
  ]
}

function pointText({ dimension_type: dimension, point }: LocalSeriesRow, { zone, nowMs }: LocalNow): string {
  const local = localOf(point, zone)
  if (dimension === 'summary') return 'Whole period'
  if (local === null) return point
  if (dimension === 'month') return `${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()}`
  if (dimension === 'day') return `${WEEKDAYS[local.getUTCDay()]} ${dayText(local, localNow({ zone, nowMs }))}`
  return timeText(point, { zone, nowMs })
}

type LocalNow = NonNullable<TableLook['terminal']>

/** Returns a short local time: "25 Oct 18:03". In another year: "25 Oct 2025 18:03". */
export function timeText(text: string, now: LocalNow): string {
  const local = localOf(text, now.zone)
  return local === null ? text : `${dayText(local, localNow(now))} ${local.toISOString().slice(11, 16)}`
}

function dayText(local: Date, now: Date): string {
  const day = `${String(local.getUTCDate()).padStart(2)} ${MONTHS[local.getUTCMonth()]}`
  return local.getUTCFullYear() === now.getUTCFullYear() ? day : `${day} ${local.getUTCFullYear()}`
}

/** Returns the time of day, and the number of days since the start, as in a timetable: "00:10 +1". */
function finishedText(started: string, finished: string, { zone }: LocalNow): string {
  const from = localOf(started, zone)
  const to = localOf(finished, zone)
  if (from === null || to === null) return finished
  const days = Math.floor(to.getTime() / DAY_MS) - Math.floor(from.getTime() / DAY_MS)
  return `${to.toISOString().slice(11, 16)}${days > 0 ? ` +${days}` : ''}`
}

function localNow({ zone, nowMs }: LocalNow): Date {
  return new Date(nowMs + zone.offsetMsAt(nowMs))
}

/** Returns the local time as if it were UTC, or null for an unreadable time. */
function localOf(text: string, { offsetMsAt }: TimeZone): Date | null {
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? null : new Date(timeMs + offsetMsAt(timeMs))
}
