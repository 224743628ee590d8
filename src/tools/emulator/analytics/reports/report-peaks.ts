import type { DatabaseSync } from 'node:sqlite'
import { selectSegmentsRunning } from '../segments/segment-selection.ts'
import type { ReportQuestion } from './report-question.ts'
import { openTimeWriter } from './report-times.ts'
import { openGrid, openValues } from './time-values.ts'

export interface PeaksQuestion extends ReportQuestion {
  readonly report: Extract<ReportQuestion['report'], { kind: 'peaks' | 'watched' }>
}

export interface PeakItem {
  readonly content_type: string
  readonly content_id: number
  readonly time: string
  readonly value: number
}

/**
 * Finds the greatest number of concurrent sessions of each channel or video in each minute, hour, day or month, or adds up
 * the seconds of all sessions. Items are in the order of content and time. Those without viewers are left out.
 * @returns the number of all items, and those of the page.
 */
export function answerPeaks(
  database: DatabaseSync,
  question: PeaksQuestion,
): { readonly count: number; readonly items: readonly PeakItem[] } {
  const { page, timeZone } = question
  const { kind, granularity } = question.report
  const writeTime = openTimeWriter(timeZone)
  const grid = openGrid(granularity, timeZone)
  const first = (page.number - 1) * page.limit
  const items: PeakItem[] = []
  let count = 0
  const valuesOf = (content: Pick<PeakItem, 'content_type' | 'content_id'>) =>
    openValues(grid, kind, (firstStartSeconds, bucketCount, stepSeconds, value) => {
      const end = Math.min(bucketCount, first + page.limit - count)
      for (let index = Math.max(0, first - count); index < end; index += 1) {
        items.push({ ...content, time: writeTime(firstStartSeconds + index * stepSeconds), value })
      }
      count += bucketCount
    })
  let values: ReturnType<typeof valuesOf> | null = null
  let last: Change | null = null
  let sessions = 0
  for (const change of changesOf(database, question)) {
    if (last?.content_type !== change.content_type || last.content_id !== change.content_id) {
      values?.finish()
      values = valuesOf({ content_type: change.content_type, content_id: change.content_id })
    } else if (sessions > 0) values?.add(last.at, change.at, sessions)
    sessions += change.sessions
    last = change
  }
  values?.finish()
  return { count, items }
}

/** A moment at which the number of sessions of a channel or video changes. */
interface Change {
  readonly content_type: string
  readonly content_id: number
  readonly at: number
  /** By how many. The sum of all changes of a channel or video is 0. */
  readonly sessions: number
}

/** Reads the changes in order. Of each segment, only the time counts that no earlier segment of its session covers. */
function* changesOf(database: DatabaseSync, { selection, nowSeconds }: PeaksQuestion): Generator<Change> {
  const { where, parameters } = selectSegmentsRunning(selection)
  const rows = database
    .prepare(
      `WITH inside AS (
         SELECT content_type, content_id, view_session, max(started_at, :from) AS start,
           min(coalesce(finished_at, :now), :to) AS finish
         FROM segments INDEXED BY segments_by_content WHERE ${where}),
       own AS (
         SELECT content_type, content_id, finish, max(start, coalesce(max(finish) OVER earlier, start)) AS start
         FROM inside WHERE start < finish
         WINDOW earlier AS (PARTITION BY content_type, content_id, view_session ORDER BY start, finish
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
       SELECT content_type, content_id, at, sum(change) AS sessions FROM (
         SELECT content_type, content_id, start AS at, 1 AS change FROM own WHERE start < finish
         UNION ALL SELECT content_type, content_id, finish, -1 FROM own WHERE start < finish)
       GROUP BY content_type, content_id, at HAVING sessions <> 0 ORDER BY content_type, content_id, at`,
    )
    .iterate({ ...parameters, now: nowSeconds })
  for (const { content_type, content_id, at, sessions } of rows) {
    yield {
      content_type: String(content_type),
      content_id: Number(content_id),
      at: Number(at),
      sessions: Number(sessions),
    }
  }
}
