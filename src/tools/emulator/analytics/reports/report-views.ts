import type { DatabaseSync } from 'node:sqlite'
import { openSegmentReader } from '../segments/segment-reader.ts'
import { selectSegments, selectSegmentsInside } from '../segments/segment-selection.ts'
import type { ReportQuestion } from './report-question.ts'
import { openTimeWriter } from './report-times.ts'

export interface ViewsQuestion extends ReportQuestion {
  readonly report: Extract<ReportQuestion['report'], { kind: 'views' }>
}

/** Counts the views of all pages, and reads the views of this page one by one, in the order of their start. */
export function answerViews(
  database: DatabaseSync,
  question: ViewsQuestion,
): { count: number; items: Iterable<object> } {
  const { selection, page, report } = question
  const { where, parameters } = report.insideOnly ? selectSegmentsInside(selection) : selectSegments(selection)
  const source = `segments INDEXED BY segments_by_start WHERE ${where}`
  const row = database.prepare(`SELECT count(*) AS count FROM ${source}`).get(parameters)
  const ids = database.prepare(`SELECT id FROM ${source} ORDER BY started_at, id LIMIT :limit OFFSET :offset`)
  const offset = Math.min((page.number - 1) * page.limit, Number.MAX_SAFE_INTEGER)
  return { count: Number(row?.count), items: readViews() }

  function* readViews() {
    const readSegment = openSegmentReader(database, openTimeWriter(question.timeZone))
    for (const { id } of ids.iterate({ ...parameters, limit: page.limit, offset })) {
      const { segment, viewerIdentifier } = readSegment(Number(id))
      const { id: view_id, content_id, ...rest } = segment
      yield { view_id, viewer_identifier: viewerIdentifier, ...rest, content_id: String(content_id) }
    }
  }
}
