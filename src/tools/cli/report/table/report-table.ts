import type { Temporal } from 'temporal-polyfill'
import type { Question } from '../../../video-service/analytics/report-question.ts'
import { zonedTime } from '../../output/time-zone.ts'
import { type ContentTitles, contentName } from '../content-titles.ts'
import type { LocalSeriesRow } from '../local-rows.ts'
import { type ReportRow, seriesGroup } from '../rows.ts'
import headings from './headings.json' with { type: 'json' }

interface LocalNow {
  readonly zone: string
  readonly nowMs: number
}

export interface TableLook extends LocalNow {
  readonly titles: ContentTitles
}

/** Stands for a viewer without a sign-in. */
const GUEST = '(guest)'
// biome-ignore format: one line is easier to check
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Returns the titles of the columns of a report. */
export function tableColumns(question: Question): readonly string[] {
  if (!('dimension' in question)) return headings.columns[question.report]
  return [headings.points[question.dimension], headings.values[question.report]]
}

/** Returns the cells of a row, in the order of `tableColumns`. */
export function tableCells(row: ReportRow, look: TableLook): string[] {
  if ('segments' in row) {
    return [
      row.viewer_identifier,
      timeText(row.last_activity, look),
      String(row.videos_watched ?? ''),
      String(row.segments.length),
    ]
  }
  if ('view_id' in row) {
    const system = row.device_info?.os.family
    const browser = row.device_info?.browser.family
    return [
      timeText(row.started_at, look),
      row.finished_at ? finishedText(row.started_at, row.finished_at, look) : 'watching',
      row.viewer_identifier ?? GUEST,
      contentName(row.content_type, row.content_id, look.titles),
      [row.city, row.country].filter(Boolean).join(', '),
      // The system comes first, because a narrow terminal cuts the end.
      [system, browser].filter(Boolean).join(', '),
    ]
  }
  if ('dimension_type' in row) return [seriesPoint(row, look), String(row.value)]
  return [timeText(row.time, look), contentName(row.content_type, row.content_id, look.titles), String(row.value)]
}

/** The `point` of a group is only the start of the period, so the group is shown instead. */
function seriesPoint(row: LocalSeriesRow, now: LocalNow): string {
  if (row.dimension_type.includes(':')) return seriesGroup(row)
  return [pointText(row, now), ...seriesMarks(row)].join(' ')
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
  if (dimension === 'month') return `${MONTHS[local.month - 1]} ${local.year}`
  if (dimension === 'day') return `${WEEKDAYS[local.dayOfWeek - 1]} ${dayText(local, nowMs)}`
  return timeText(point, { zone, nowMs })
}

/** Returns a short local time: "25 Oct 18:03". In another year: "25 Oct 2025 18:03". */
export function timeText(text: string, { zone, nowMs }: LocalNow): string {
  const local = localOf(text, zone)
  return local === null ? text : `${dayText(local, nowMs)} ${clockText(local)}`
}

function dayText({ day, month, year, timeZoneId }: Temporal.ZonedDateTime, nowMs: number): string {
  const text = `${String(day).padStart(2)} ${MONTHS[month - 1]}`
  return year === zonedTime(nowMs, timeZoneId).year ? text : `${text} ${year}`
}

function clockText(local: Temporal.ZonedDateTime): string {
  return local.toPlainTime().toString({ smallestUnit: 'minute' })
}

/** Returns the time of day, and the number of days since the start, as in a timetable: "00:10 +1". */
function finishedText(started: string, finished: string, { zone }: LocalNow): string {
  const from = localOf(started, zone)
  const to = localOf(finished, zone)
  if (from === null || to === null) return finished
  const { days } = to.toPlainDate().since(from.toPlainDate())
  return `${clockText(to)}${days > 0 ? ` +${days}` : ''}`
}

/** Returns null for an unreadable time. */
function localOf(text: string, zone: string): Temporal.ZonedDateTime | null {
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? null : zonedTime(timeMs, zone)
}
