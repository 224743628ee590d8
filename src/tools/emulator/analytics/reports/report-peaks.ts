import type { DatabaseSync } from 'node:sqlite'
import { selectSegmentsRunning } from '../segments/segment-selection.ts'
import type { Answer, QuestionOf } from './report-question.ts'
import { type Bucket, bucketAround, openTimeWriter } from './report-times.ts'

type PeaksQuestion = QuestionOf<'peaks'>

/**
 * Finds the greatest number of concurrent sessions of each channel or video in each minute or hour. Items are in the order of content and time. Those without viewers are left out.
 */
export function answerPeaks(database: DatabaseSync, question: PeaksQuestion): Answer {
  const { page, timeZone } = question
  const writeTime = openTimeWriter(timeZone)
  const first = (page.number - 1) * page.limit
  const items: string[] = []
  let count = 0
  const peaks = peaksOf(stretchesOf(database, question), question)
  for (const { content, startSeconds, endSeconds, buckets, value } of peaks) {
    const end = Math.min(buckets, first + page.limit - count)
    for (let index = Math.max(0, first - count); index < end; index += 1) {
      const time = writeTime(startSeconds + index * (endSeconds - startSeconds))
      items.push(JSON.stringify({ type: 'PeakSeries', attributes: { ...content, time, value } }))
    }
    count += buckets
  }
  return { count, items }
}

/** A time in which the number of sessions of a channel or video stays the same. */
interface Stretch extends Bucket {
  readonly content: { readonly content_type: string; readonly content_id: number }
  readonly sessions: number
}

/** Equal buckets in a row. `startSeconds` and `endSeconds` are those of the first bucket. */
interface Peaks extends Bucket {
  readonly content: Stretch['content']
  readonly buckets: number
  readonly value: number
}

/**
 * Turns stretches into peaks. A stretch over many minutes or hours is one result, so that a segment that runs for years
 * costs no more than a short one.
 */
function* peaksOf(stretches: Iterable<Stretch>, { report, timeZone }: PeaksQuestion): Generator<Peaks> {
  const { granularity } = report
  const sizeSeconds = granularity === 'minute' ? 60 : 3_600
  let open: Peaks | null = null
  for (const { content, startSeconds, endSeconds, sessions } of stretches) {
    for (let at = startSeconds; at < endSeconds; ) {
      if (open !== null && (open.content !== content || at >= open.endSeconds)) {
        yield open
        open = null
      }
      const bucket: Bucket = open ?? bucketAround(at, granularity, timeZone)
      const buckets = Math.floor((endSeconds - at) / sizeSeconds)
      if (open === null && bucket.startSeconds === at && buckets > 0) {
        yield { ...bucket, content, buckets, value: sessions }
        at += buckets * sizeSeconds
        continue
      }
      const value: number = Math.max(open?.value ?? 0, sessions)
      open = { ...bucket, content, buckets: 1, value }
      at = Math.min(endSeconds, bucket.endSeconds)
    }
  }
  if (open !== null) yield open
}

/**
 * Reads the stretches in the order of content and time. Of each segment, only the time counts that no earlier segment of
 * its session covers.
 */
function* stretchesOf(database: DatabaseSync, { selection, nowSeconds }: PeaksQuestion): Generator<Stretch> {
  const { where, parameters } = selectSegmentsRunning(selection)
  const changes = database
    .prepare(
      `WITH inside AS (
         SELECT content_type, content_id, view_session_id, max(started_at, :from) AS start,
           min(coalesce(finished_at, :now), :to) AS finish
         FROM watched_segments INDEXED BY watched_by_content WHERE ${where}),
       own AS (
         SELECT content_type, content_id, finish, max(start, coalesce(max(finish) OVER earlier, start)) AS start
         FROM inside WHERE start < finish
         WINDOW earlier AS (PARTITION BY content_type, content_id, view_session_id ORDER BY start, finish
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
       SELECT content_type, content_id, at, sum(change) AS sessions FROM (
         SELECT content_type, content_id, start AS at, 1 AS change FROM own WHERE start < finish
         UNION ALL SELECT content_type, content_id, finish, -1 FROM own WHERE start < finish)
       GROUP BY content_type, content_id, at HAVING sessions <> 0 ORDER BY content_type, content_id, at`,
    )
    .iterate({ ...parameters, now: nowSeconds })
  let content: Stretch['content'] = { content_type: '', content_id: 0 }
  let startSeconds = 0
  let sessions = 0
  for (const change of changes) {
    const endSeconds = Number(change.at)
    if (sessions > 0) yield { content, startSeconds, endSeconds, sessions }
    // The changes of a channel or video add up to 0, so its next change begins its first stretch.
    else if (change.content_id !== content.content_id || change.content_type !== content.content_type) {
      content = { content_type: String(change.content_type), content_id: Number(change.content_id) }
    }
    startSeconds = endSeconds
    sessions += Number(change.sessions)
  }
}
