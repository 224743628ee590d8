import type { Period, Question } from '../../../video-service/report-question.ts'
import type { ViewRow } from '../../../video-service/report-rows.ts'
import { isoWithOffset, machineTimeZone } from '../../output/time-zone.ts'
import { type Place, type PlacedPage, placeAfter } from '../place.ts'
import type { Ask } from '../progress.ts'

export interface AttendanceQuestion {
  readonly period: Period
  readonly channels: readonly string[]
  /** `all`: all videos of the account. */
  readonly videos: readonly string[] | 'all'
}

export type ViewsQuestion = Extract<Question, { report: 'views' }>

/**
 * The service leaves out a segment that starts before the period and ends after it, or has no end. So the question begins
 * earlier by the longest time that a player is believed to run without a pause.
 */
const EARLIER_MS = 86_400_000

/** Returns the questions to the service: for the live broadcasts, and for the videos. */
export function attendanceQuestions({ period, channels, videos }: AttendanceQuestion): ViewsQuestion[] {
  const fromMs = Date.parse(period.from) - EARLIER_MS
  const earlier = { from: isoWithOffset(fromMs, machineTimeZone().offsetMsAt(fromMs)), to: period.to }
  const base = { report: 'views', period: earlier } as const
  return [
    ...(channels.length > 0 ? [{ ...base, contentType: 'live', contentIds: channels } as const] : []),
    ...(videos === 'all' ? [{ ...base, contentType: 'recorded' } as const] : []),
    ...(videos !== 'all' && videos.length > 0
      ? [{ ...base, contentType: 'recorded', contentIds: videos } as const]
      : []),
  ]
}

/** Fetches the answers page by page. @param from where an interrupted report goes on. */
export async function* segmentPages(
  ask: Ask,
  questions: readonly ViewsQuestion[],
  from: Place,
): AsyncGenerator<PlacedPage<ViewRow>> {
  let number = from.pages
  const odd = new Map<string, number>()
  for (const [piece, question] of questions.entries()) {
    if (piece < from.piece) continue
    let ofPiece: ReadonlyMap<string, number> = new Map()
    const joined = () => {
      const both = new Map(odd)
      for (const [field, times] of ofPiece) both.set(field, (both.get(field) ?? 0) + times)
      return both
    }
    for await (const page of ask(question, piece === from.piece ? from.page : 1)) {
      number += 1
      ofPiece = page.odd
      const next = placeAfter(page, { pages: number, piece, of: questions.length })
      yield { ...page, number, odd: joined(), isLast: next === null, next }
    }
    for (const [field, times] of joined()) odd.set(field, times)
  }
}
