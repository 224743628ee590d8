import type { ViewRow } from '../../video-service/analytics/report-rows.ts'
import { isoWithOffset, offsetText, type TimeZone } from '../output/time-zone.ts'
import type { ReportRow } from './rows.ts'

/** Clocks change at quarters of an hour. */
const QUARTER_MS = 900_000
const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

/**
 * Returns a function that writes the times of a view, viewer or peak with the offset of the zone at each time. The
 * service writes all of them with one offset, so that after a change of the clocks a view near midnight has another date.
 * Months, days and hours are left as they are.
 */
export function localTimes(zone: TimeZone): <Row extends ReportRow>(row: Row) => Row {
  const offsetAt = cachedOffsets(zone)
  function local(text: string): string {
    if (!WITH_OFFSET.test(text)) return text
    const timeMs = Date.parse(text)
    if (Number.isNaN(timeMs)) return text
    const offsetMs = offsetAt(timeMs)
    return text.endsWith(offsetText(offsetMs)) ? text : isoWithOffset(timeMs, offsetMs)
  }
  function localView<View extends Pick<ViewRow, 'started_at' | 'finished_at'>>(view: View): View {
    const { started_at, finished_at } = view
    return { ...view, started_at: local(started_at), ...(finished_at && { finished_at: local(finished_at) }) }
  }
  function localRow(row: ReportRow): ReportRow {
    if ('segments' in row) {
      return { ...row, last_activity: local(row.last_activity), segments: row.segments.map(localView) }
    }
    if ('view_id' in row) return localView(row)
    return 'dimension_type' in row ? row : { ...row, time: local(row.time) }
  }
  return (row) => localRow(row) as typeof row
}

/** Returns the offsets of a zone, which take long to find out, from a cache. */
export function cachedOffsets(zone: TimeZone): TimeZone['offsetMsAt'] {
  const offsets = new Map<number, number>()
  return (timeMs) => {
    const quarter = Math.floor(timeMs / QUARTER_MS)
    const offsetMs = offsets.get(quarter) ?? zone.offsetMsAt(timeMs)
    offsets.set(quarter, offsetMs)
    return offsetMs
  }
}
