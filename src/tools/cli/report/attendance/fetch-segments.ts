import type { Period, Question } from '../../../video-service/analytics/report-question.ts'
import { localIso, machineTimeZone } from '../../output/time-zone.ts'

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
  const earlier = { from: localIso(fromMs, machineTimeZone()), to: period.to }
  const base = { report: 'views', period: earlier } as const
  return [
    ...(channels.length > 0 ? [{ ...base, contentType: 'live', contentIds: channels } as const] : []),
    ...(videos === 'all' ? [{ ...base, contentType: 'recorded' } as const] : []),
    ...(videos !== 'all' && videos.length > 0
      ? [{ ...base, contentType: 'recorded', contentIds: videos } as const]
      : []),
  ]
}
