import type { DatabaseSync } from 'node:sqlite'
import { openSegmentReader, type Segment } from '../segments/segment-reader.ts'
import { selectSegments } from '../segments/segment-selection.ts'
import type { ReportQuestion } from './report-question.ts'
import { openTimeWriter } from './report-times.ts'

export interface ViewersQuestion extends ReportQuestion {
  readonly report: Extract<ReportQuestion['report'], { kind: 'viewers' }>
}

export interface ViewerItem {
  readonly viewer_identifier: string
  readonly last_activity: string
  readonly videos_watched: number
  /** Must be read before the next viewer. */
  readonly segments: Iterable<Segment>
}

/**
 * Counts the viewers of all pages, and reads the viewers of this page one by one, in the order of their identifiers (by
 * code points). Anonymous viewers are not listed.
 */
export function answerViewers(
  database: DatabaseSync,
  { report, selection, page, nowSeconds, timeZone }: ViewersQuestion,
): { count: number; items: Iterable<ViewerItem> } {
  const { where, parameters } = selectSegments(selection)
  const ofViewer = (viewer: string) => `segments INDEXED BY segments_by_viewer WHERE ${where} AND viewer = ${viewer}`
  const matching = `
    FROM segment_viewers
    WHERE instr(viewer_identifier, :text) > 0 AND EXISTS (SELECT 1 FROM ${ofViewer('segment_viewers.id')})`
  const all = { ...parameters, text: report.viewerIdentifier ?? '' }
  const row = database.prepare(`SELECT count(*) AS count ${matching}`).get(all)
  return { count: Number(row?.count), items: readViewers() }

  function* readViewers() {
    const writeTime = openTimeWriter(timeZone)
    const viewers = database.prepare(
      `SELECT id, viewer_identifier ${matching} ORDER BY viewer_identifier LIMIT :limit OFFSET :offset`,
    )
    const summary = database.prepare(
      `SELECT max(coalesce(finished_at, max(started_at, :now))) AS last_activity,
         count(DISTINCT content_type || content_id) AS videos_watched
       FROM ${ofViewer(':viewer')}`,
    )
    const ids = database.prepare(`SELECT id FROM ${ofViewer(':viewer')} ORDER BY started_at, id`)
    const readSegment = openSegmentReader(database, writeTime)
    function* segmentsOf(one: Record<string, string | number>) {
      for (const { id } of ids.iterate(one)) yield readSegment(Number(id)).segment
    }
    const offset = Math.min((page.number - 1) * page.limit, Number.MAX_SAFE_INTEGER)
    for (const viewer of viewers.iterate({ ...all, limit: page.limit, offset })) {
      const one = { ...parameters, viewer: Number(viewer.id) }
      const row = summary.get({ ...one, now: nowSeconds })
      yield {
        viewer_identifier: String(viewer.viewer_identifier),
        last_activity: writeTime(Number(row?.last_activity)),
        videos_watched: Number(row?.videos_watched),
        segments: segmentsOf(one),
      }
    }
  }
}
