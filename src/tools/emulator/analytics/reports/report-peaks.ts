import type { DatabaseSync } from 'node:sqlite'
import { type InSteps, scanSegments } from '../segments/segment-scan.ts'
import { selectSegmentsRunning } from '../segments/segment-selection.ts'
import { openSweep } from './concurrency.ts'
import { openPageWindow, type PageWindow } from './page-window.ts'
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
 */
export function* answerPeaks(database: DatabaseSync, question: PeaksQuestion): InSteps<PageWindow<PeakItem>> {
  const { selection, nowSeconds, timeZone } = question
  const window = openPageWindow<PeakItem>(question.page)
  const { kind, granularity } = question.report
  const writeTime = openTimeWriter(timeZone)
  const { where, parameters } = selectSegmentsRunning(selection)
  for (const { content_type, content_id } of listContent(database, question)) {
    const buckets = openValues(
      openGrid(granularity, timeZone),
      kind,
      (firstStartSeconds, bucketCount, stepSeconds, value) => {
        window.add(bucketCount, (index) => ({
          content_type,
          content_id,
          time: writeTime(firstStartSeconds + index * stepSeconds),
          value,
        }))
      },
    )
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
