import type { DatabaseSync } from 'node:sqlite'
import { type InSteps, scanSegments } from '../segments/segment-scan.ts'
import { selectSegmentsRunning } from '../segments/segment-selection.ts'
import { openSweep } from './concurrency.ts'
import { openPageWindow, type PageWindow } from './page-window.ts'
import type { ReportQuestion } from './report-question.ts'
import { hourShiftSeconds, openTimeWriter } from './report-times.ts'

export interface PeaksQuestion extends ReportQuestion {
  readonly report: Extract<ReportQuestion['report'], { kind: 'peaks' }>
}

export interface PeakItem {
  readonly content_type: string
  readonly content_id: number
  readonly time: string
  readonly value: number
}

/**
 * Finds the greatest number of concurrent sessions of each channel or video in each hour or minute. Items are in the
 * order of content and time. Hours and minutes without viewers are left out.
 */
export function* answerPeaks(database: DatabaseSync, question: PeaksQuestion): InSteps<PageWindow<PeakItem>> {
  const { selection, nowSeconds, timeZone } = question
  const window = openPageWindow<PeakItem>(question.page)
  const sizeSeconds = question.report.granularity === 'hour' ? 3_600 : 60
  const shiftSeconds = sizeSeconds === 3_600 ? hourShiftSeconds(timeZone) : 0
  const writeTime = openTimeWriter(timeZone)
  const { where, parameters } = selectSegmentsRunning(selection)
  for (const { content_type, content_id } of listContent(database, question)) {
    const buckets = openPeakBuckets({ sizeSeconds, shiftSeconds }, (firstStartSeconds, bucketCount, value) => {
      window.add(bucketCount, (index) => ({
        content_type,
        content_id,
        time: writeTime(firstStartSeconds + index * sizeSeconds),
        value,
      }))
    })
    const sweep = openSweep(buckets.add)
    yield* scanSegments(
      database,
      {
        index: 'segments_by_content',
        selection: {
          where: `${where} AND content_type = :ofType AND content_id = :ofId`,
          parameters: { ...parameters, now: nowSeconds, ofType: content_type, ofId: content_id },
        },
        columns: ['coalesce(finished_at, :now)', 'view_session'],
      },
      (startedAt, finishedAt, session) => {
        const { fromSeconds, toSeconds } = selection
        sweep.add(Math.max(startedAt, fromSeconds ?? startedAt), Math.min(finishedAt, toSeconds ?? finishedAt), session)
      },
    )
    sweep.finish()
    buckets.finish()
  }
  return window
}

interface Content {
  readonly content_type: string
  readonly content_id: number
}

/** Jumps from one channel or video to the next in the index, which is faster than SELECT DISTINCT. */
function listContent(database: DatabaseSync, { selection }: PeaksQuestion): Content[] {
  const { ownerId, contentType, contentIds } = selection
  const next = database.prepare(
    `SELECT min(content_id) AS id FROM segments INDEXED BY segments_by_content
     WHERE owner_id = ? AND content_type = ? AND content_id > ?`,
  )
  const types = contentType === null ? (['live', 'recorded'] as const) : [contentType]
  return types.flatMap((content_type) => {
    const content: Content[] = []
    let id = next.get(ownerId, content_type, -1)?.id
    while (typeof id === 'number') {
      if (contentIds === null || contentIds.includes(id)) content.push({ content_type, content_id: id })
      id = next.get(ownerId, content_type, id)?.id
    }
    return content
  })
}

/** Called in order of time, with a number of buckets in a row that have the same peak. */
type OnPeaks = (firstStartSeconds: number, bucketCount: number, peak: number) => void

/**
 * Turns stretches of time with a constant number of sessions into the peaks of equally long buckets. A stretch over
 * many buckets is one call, so that a segment that runs for years costs no more than a short one.
 */
function openPeakBuckets(
  { sizeSeconds, shiftSeconds }: { sizeSeconds: number; shiftSeconds: number },
  onPeaks: OnPeaks,
): { add(startSeconds: number, endSeconds: number, watching: number): void; finish(): void } {
  const bucketOf = (seconds: number) => Math.floor((seconds + shiftSeconds) / sizeSeconds)
  const report = (bucket: number, bucketCount: number, peak: number) => {
    if (bucketCount > 0 && peak > 0) onPeaks(bucket * sizeSeconds - shiftSeconds, bucketCount, peak)
  }
  let open = { bucket: Number.NEGATIVE_INFINITY, peak: 0 }
  return {
    add(startSeconds, endSeconds, watching) {
      const first = bucketOf(startSeconds)
      const last = bucketOf(endSeconds - 1)
      if (first > open.bucket) {
        report(open.bucket, 1, open.peak)
        open = { bucket: first, peak: 0 }
      }
      open.peak = Math.max(open.peak, watching)
      if (last > open.bucket) {
        report(open.bucket, 1, open.peak)
        report(open.bucket + 1, last - open.bucket - 1, watching)
        open = { bucket: last, peak: watching }
      }
    },
    finish: () => report(open.bucket, 1, open.peak),
  }
}
