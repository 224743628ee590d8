import { machineTimeZone } from '../../cli/output/time-zone.ts'
import type { AttendanceRow } from '../../cli/report/attendance/attendance-rows.ts'
import { storePeople } from '../../cli/report/attendance/invited/store-people.ts'
import { attendanceOf } from '../../cli/report/attendance/report-attendance.ts'
import { localTimes } from '../../cli/report/local-times.ts'
import { asker, assertUnmoved } from '../../cli/report/progress.ts'
import { ownChannels } from '../../cli/service/channel-command.ts'
import { withService } from '../../cli/service/service.ts'
import { type ActResult, outcomeOf } from '../../cli/terminal/command.ts'
import { type CommandIo, ioWithoutTerminal } from '../../cli/terminal/io.ts'
import type { Period } from '../../video-service/analytics/report-question.ts'
import type { ViewRow } from '../../video-service/analytics/report-rows.ts'

/** The channel and the period of a report. */
export interface EventQuestion {
  readonly channel: string
  readonly period: Period
}

export interface AttendanceChoice extends EventQuestion {
  /** True to list the viewers of the user store too, also those who did not come. */
  readonly isOfStore: boolean
  /** Only viewers who watched for this time. Null for all. */
  readonly atLeastMs: number | null
}

/** What the video service knows of an event. */
export type EventReports = ReturnType<typeof eventReports>

export function eventReports(env: CommandIo['env']) {
  const io = ioWithoutTerminal(env)
  return {
    channels: () => outcomeOf(() => withService(io, ownChannels, null)),
    attendance: ({ channel, period, isOfStore, atLeastMs }: AttendanceChoice) =>
      steadily(async (): Promise<ActResult<readonly AttendanceRow[]>> => {
        const people = isOfStore ? await storePeople(io, { groups: [], identifier: undefined, by: undefined }) : null
        const question = { period, channels: [channel], videos: [] }
        return await withService(io, async (service) => {
          return { ok: true, data: await attendanceOf(service, { question, people, atLeastMs }) }
        })
      }),
    views: ({ channel, period }: EventQuestion) =>
      steadily(() =>
        withService(io, async (service): Promise<ActResult<readonly ViewRow[]>> => {
          const question = { report: 'views', period, contentType: 'live', contentIds: [channel] } as const
          const withLocalTimes = localTimes(machineTimeZone())
          const rows: ViewRow[] = []
          for await (const page of asker(service)(question)) {
            assertUnmoved(page)
            rows.push(...page.rows.map(withLocalTimes))
          }
          return { ok: true, data: rows }
        }),
      ),
  }
}

/** Reads lists of the service, and again if one changed meanwhile: an event may still run. Three times at most. */
async function steadily<T>(work: () => Promise<ActResult<T>>): Promise<ActResult<T>> {
  for (let left = 2; ; left--) {
    const outcome = await outcomeOf(work)
    if (outcome.ok || outcome.code !== 'listChanged' || left === 0) return outcome
  }
}
