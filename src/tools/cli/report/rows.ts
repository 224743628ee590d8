import type { Question } from '../../video-service/analytics/report-question.ts'
import type { PeakRow, SeriesRow, ViewerRow, ViewRow } from '../../video-service/analytics/report-rows.ts'
import { type CsvCell, csvRecord } from '../terminal/csv.ts'
import type { LocalSeriesRow } from './local-rows.ts'

export type ReportRow = ViewerRow | ViewRow | LocalSeriesRow | PeakRow

// biome-ignore format: grouped by topic
const VIEW_COLUMNS = [
  'content_type', 'content_id', 'started_at', 'finished_at', 'from', 'to',
  'client_id', 'view_session_id', 'country', 'city', 'is_mobile_view', 'view_type',
  'browser.family', 'browser.major', 'browser.minor', 'browser.patch',
  'os.family', 'os.major', 'os.minor', 'os.patch', 'os.patch_minor',
  'device.family', 'device.brand', 'device.model',
]
const PEAK_COLUMNS = ['content_type', 'content_id', 'time', 'value']
const SERIES_COLUMNS = ['dimension_type', 'point', 'value', 'is_partial', 'has_running_views']

/** Field names of the service. Dots join the names of nested fields. */
const CSV_COLUMNS: Readonly<Record<Question['report'], readonly string[]>> = {
  viewers: ['viewer_identifier', 'last_activity', 'videos_watched', 'segments'],
  views: ['view_id', 'viewer_identifier', ...VIEW_COLUMNS],
  'total-views': SERIES_COLUMNS,
  'unique-devices': SERIES_COLUMNS,
  'authenticated-viewers': SERIES_COLUMNS,
  'peak-viewer-numbers': PEAK_COLUMNS,
}

/** Returns a CSV record with the columns of `csvHeader`. */
export function csvLine(row: ReportRow): string {
  return csvRecord(csvCells(row))
}

export function csvHeader(report: Question['report']): string {
  return csvRecord(CSV_COLUMNS[report])
}

/**
 * Returns the group of a number: "Germany" for `location:Germany`. Without a colon, returns the point, which then names
 * the group, or for a time the whole dimension.
 */
export function seriesGroup({ dimension_type: type, point }: SeriesRow): string {
  if (type.includes(':')) return type.slice(type.indexOf(':') + 1)
  return /^\d{4}-\d\d-\d\dT/.test(point) ? type : point
}

function csvCells(row: ReportRow): readonly CsvCell[] {
  if ('segments' in row) return [row.viewer_identifier, row.last_activity, row.videos_watched, row.segments.length]
  if ('dimension_type' in row) return [row.dimension_type, row.point, row.value, row.is_partial, row.has_running_views]
  if (!('view_id' in row)) return [row.content_type, row.content_id, row.time, row.value]
  return [row.view_id, row.viewer_identifier, ...viewCells(row)]
}

/** Returns the cells of VIEW_COLUMNS. */
function viewCells(row: ViewRow): readonly CsvCell[] {
  const { browser, os, device } = row.device_info ?? {}
  return [
    ...[row.content_type, row.content_id, row.started_at, row.finished_at, row.from, row.to],
    ...[row.client_id, row.view_session_id, row.country, row.city, row.is_mobile_view, row.view_type],
    ...[browser?.family, browser?.major, browser?.minor, browser?.patch],
    ...[os?.family, os?.major, os?.minor, os?.patch, os?.patch_minor],
    ...[device?.family, device?.brand, device?.model],
  ]
}
