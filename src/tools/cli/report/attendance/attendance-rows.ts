import { isoWithOffset, type TimeZone } from '../../output/time-zone.ts'
import { cachedOffsets } from '../local-times.ts'
import type { Attendee } from './attendance.ts'

/** A row of JSON. CSV has the same fields, with `; ` between the texts of a list. */
export type AttendanceRow = ReturnType<ReturnType<typeof attendanceRow>>
export type CellValue = string | number | boolean | null | readonly string[]

const MINUTE_MS = 60_000

/** Returns a function that makes rows. Times have the offset of the zone. */
export function attendanceRow(zone: TimeZone) {
  const offsetMsAt = cachedOffsets(zone)
  const iso = (timeMs: number | undefined) => (timeMs === undefined ? null : isoWithOffset(timeMs, offsetMsAt(timeMs)))
  return ({ kind, status, name, clientId, watched, ...attendee }: Attendee) => ({
    viewer: name,
    kind,
    status,
    first_in: iso(watched?.firstMs),
    last_out: iso(watched?.lastMs),
    live_minutes: minutes(watched?.liveMs),
    recorded_minutes: minutes(watched?.recordedMs),
    minutes: minutes(watched?.ms),
    is_running: attendee.isRunning,
    groups: attendee.groups,
    service_names: attendee.serviceNames,
    match: attendee.match,
    possible_names: attendee.possibleNames,
    client_id: clientId,
  })
}

/** The columns of CSV, which has a header without a row too. */
export const ATTENDANCE_COLUMNS: readonly (keyof AttendanceRow)[] = [
  ...(['viewer', 'kind', 'status', 'first_in', 'last_out', 'live_minutes', 'recorded_minutes', 'minutes'] as const),
  ...(['is_running', 'groups', 'service_names', 'match', 'possible_names', 'client_id'] as const),
]

/** Returns minutes with two decimals. */
export function minutes(milliseconds = 0): number {
  return Math.round((milliseconds / MINUTE_MS) * 100) / 100
}
