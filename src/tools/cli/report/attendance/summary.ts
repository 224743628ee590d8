import { counted } from '../../terminal/text.ts'
import type { Attendee, Kind } from './attendance.ts'

/** The numbers of the report. */
export type AttendanceSummary = ReturnType<typeof summaryOf>

/** Counts people and viewers. `cameBy` and `cameInAll` have all who came; `eventMs` is from the first start to the last end. */
export function summaryOf(attendees: Iterable<Attendee>) {
  const cameBy: Record<Kind, number> = { invited: 0, 'not-invited': 0, unknown: 0, 'signed-in': 0, guest: 0 }
  const by = { came: 0, missing: 0, unclear: 0 }
  const names = { exact: 0, changed: 0, ambiguous: 0 }
  let running = 0
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = 0
  for (const { kind, status, match, isRunning, watched } of attendees) {
    firstMs = Math.min(firstMs, watched?.firstMs ?? firstMs)
    lastMs = Math.max(lastMs, watched?.lastMs ?? lastMs)
    if (status === 'came') cameBy[kind] += 1
    if (kind === 'invited') by[status] += 1
    if (match !== null) names[match] += 1
    if (isRunning) running += 1
  }
  return {
    ...by,
    invited: by.came + by.missing + by.unclear,
    cameBy,
    cameInAll: Object.values(cameBy).reduce((sum, count) => sum + count, 0),
    ...names,
    running,
    eventMs: Math.max(0, lastMs - firstMs),
  }
}

/** Returns the numbers in sentences. @param hasList false for a report without a list. */
export function summarySentences(summary: AttendanceSummary, hasList: boolean): string[] {
  const { invited, came, missing, unclear, cameBy } = summary
  const others = [
    ...(cameBy['not-invited'] > 0 ? [`${cameBy['not-invited'].toLocaleString('en')} not invited`] : []),
    ...(cameBy.unknown > 0
      ? [`${counted(cameBy.unknown, 'name')} not in the list, such as viewers of another system`]
      : []),
    ...(cameBy.guest > 0 ? [`${counted(cameBy.guest, 'device')} of guests`] : []),
  ]
  const guests = cameBy.guest > 0 ? ` and ${counted(cameBy.guest, 'device')} of guests` : ''
  if (!hasList) return [`${counted(cameBy['signed-in'], 'signed-in viewer')}${guests} came.`]
  const isUnclear = unclear > 0 ? `, ${unclear.toLocaleString('en')} unclear` : ''
  return [
    `Of ${invited.toLocaleString('en')} invited, ${came.toLocaleString('en')} came, ${missing.toLocaleString('en')} missing${isUnclear}.`,
    ...(others.length > 0 ? [`Also came: ${others.join('; ')}.`] : []),
  ]
}

/** Returns what a reader must know of the numbers. */
export function summaryWarnings({ cameBy, came, changed, ambiguous, running }: AttendanceSummary): string[] {
  const nobody = came === 0 && cameBy['not-invited'] === 0 && cameBy.unknown > 0
  return [
    ...(nobody
      ? [
          'No name of the list came, but others did. If the service knows viewers by another attribute, use --identifier.',
        ]
      : []),
    ...(changed > 0 ? [`${counted(changed, 'name')} of the list in other upper or lower case at the service.`] : []),
    ...(ambiguous > 0
      ? [`${counted(ambiguous, 'name')} of the service may be of several people: see possible_names.`]
      : []),
    ...(running > 0 ? [`${counted(running, 'viewer')} with a view without an end: it counts until now.`] : []),
  ]
}
