import type { ViewRow } from '../../video-service/analytics/report-rows.ts'
import { localIso } from '../output/time-zone.ts'
import type { ReportRow } from './rows.ts'

const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

/**
 * Returns a function that writes the times of a view, viewer or peak with the offset of the zone at each time. The
 * service writes all of them with one offset, so that after a change of the clocks a view near midnight has another date.
 * Months, days and hours are left as they are.
 */
export function localTimes(zone: string): <Row extends ReportRow>(row: Row) => Row {
  function local(text: string): string {
    const timeMs = WITH_OFFSET.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(timeMs) ? text : localIso(timeMs, zone)
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
