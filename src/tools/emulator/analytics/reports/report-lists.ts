import type { DatabaseSync } from 'node:sqlite'
import { openSegmentReader } from '../segments/segment-reader.ts'
import { selectSegments, selectSegmentsInside } from '../segments/segment-selection.ts'
import type { Answer, QuestionOf, ReportQuestion } from './report-question.ts'
import { openTimeWriter } from './report-times.ts'

/** Counts the views of all pages, and reads the views of this page one by one, in the order of their start. */
export function answerViews(database: DatabaseSync, question: QuestionOf<'views'>): Answer {
  const { selection, page, report, timeZone } = question
  const { where, parameters } = report.insideOnly ? selectSegmentsInside(selection) : selectSegments(selection)
  const source = `segments INDEXED BY segments_by_start WHERE ${where}`
  const row = database.prepare(`SELECT count(*) AS count FROM ${source}`).get(parameters)
  const ids = database.prepare(`SELECT id FROM ${source} ORDER BY started_at, id LIMIT :limit OFFSET :offset`)
  return { count: Number(row?.count), items: readViews() }

  function* readViews() {
    const readView = openSegmentReader(database, 'view', openTimeWriter(timeZone))
    for (const { id } of ids.iterate({ ...parameters, ...rowsOf(page) })) yield readView(Number(id))
  }
}

/**
 * Counts the viewers of all pages, and reads the viewers of this page one by one, in the order of their identifiers (by
 * code points). Anonymous viewers are not listed.
 */
export function answerViewers(database: DatabaseSync, question: QuestionOf<'viewers'>): Answer {
  const { report, selection, page, nowSeconds, timeZone } = question
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
    const readSegment = openSegmentReader(database, 'segment', writeTime)
    for (const { id, viewer_identifier } of viewers.iterate({ ...all, ...rowsOf(page) })) {
      const ofThis = { ...parameters, viewer: Number(id) }
      const { last_activity, videos_watched } = summary.get({ ...ofThis, now: nowSeconds }) ?? {}
      const attributes = { viewer_identifier, last_activity: writeTime(Number(last_activity)), videos_watched }
      const segments = ids.all(ofThis).map((row) => readSegment(Number(row.id)))
      yield `{"type":"Viewer","attributes":${JSON.stringify(attributes).slice(0, -1)},"segments":[${segments.join(',')}]}}`
    }
  }
}

function rowsOf({ number, limit }: ReportQuestion['page']) {
  return { limit, offset: Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER) }
}
