import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { addTimeFunction, SEGMENT_JSON, VIEW_JSON } from '../segments/segment-reader.ts'
import { selectSegments, selectSegmentsInside } from '../segments/segment-selection.ts'
import type { Answer, QuestionOf, ReportQuestion } from './report-question.ts'
import { openTimeWriter } from './report-times.ts'

/** Counts the views of all pages, and reads the views of this page, in the order of their start. */
export function answerViews(database: DatabaseSync, question: QuestionOf<'views'>): Answer {
  const { selection, report } = question
  const { where, parameters } = report.insideOnly ? selectSegmentsInside(selection) : selectSegments(selection)
  const source = `watched_segments INDEXED BY watched_by_start WHERE ${where}`
  const row = database.prepare(`SELECT count(*) AS count FROM ${source}`).get(parameters)
  const items = readPage(
    database,
    question,
    `SELECT ${VIEW_JSON} AS json FROM ${source} ORDER BY started_at, id`,
    parameters,
  )
  return { count: Number(row?.count), items }
}

/**
 * Counts the viewers of all pages, and reads the viewers of this page, in the order of their identifiers (by code
 * points). Anonymous viewers are not listed.
 */
export function answerViewers(database: DatabaseSync, question: QuestionOf<'viewers'>): Answer {
  const { report, selection, nowSeconds } = question
  const { where, parameters } = selectSegments(selection)
  const source = `watched_segments INDEXED BY watched_by_viewer
    WHERE ${where} AND viewer_identifier IS NOT NULL AND instr(viewer_identifier, :text) > 0`
  const all = { ...parameters, text: report.viewerIdentifier ?? '' }
  const row = database.prepare(`SELECT count(DISTINCT viewer_identifier) AS count FROM ${source}`).get(all)
  const viewers = `SELECT json_object('type', 'Viewer', 'attributes', json_object('viewer_identifier', viewer_identifier,
      'last_activity', write_time(max(coalesce(finished_at, max(started_at, :now)))),
      'videos_watched', count(DISTINCT content_type || content_id),
      'segments', json_group_array(${SEGMENT_JSON} ORDER BY started_at, id))) AS json
    FROM ${source} GROUP BY viewer_identifier ORDER BY viewer_identifier`
  return { count: Number(row?.count), items: readPage(database, question, viewers, { ...all, now: nowSeconds }) }
}

/** Reads the items of the page that is asked for. */
function readPage(
  database: DatabaseSync,
  { page: { number, limit }, timeZone }: ReportQuestion,
  select: string,
  parameters: Readonly<Record<string, SQLInputValue>>,
): string[] {
  addTimeFunction(database, openTimeWriter(timeZone))
  const offset = Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER)
  const rows = database.prepare(`${select} LIMIT :limit OFFSET :offset`).all({ ...parameters, limit, offset })
  return rows.map(({ json }) => String(json))
}
