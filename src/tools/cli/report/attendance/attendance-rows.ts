import { localIso } from '../../output/time-zone.ts'
import type { Attendee, Kind } from './attendance.ts'

/** A row of JSON. CSV has the same fields, with `; ` between the texts of a list. */
export type AttendanceRow = ReturnType<ReturnType<typeof attendanceRow>>
export type CellValue = string | number | boolean | null | readonly string[]

const MINUTE_MS = 60_000

/** Returns a function that makes rows. Times have the offset of the zone. */
export function attendanceRow(zone: string) {
  const iso = (timeMs: number | undefined) => (timeMs === undefined ? null : localIso(timeMs, zone))
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
function minutes(milliseconds = 0): number {
  return Math.round((milliseconds / MINUTE_MS) * 100) / 100
}

/** The attendance of a group, or of the people with one value of an attribute. */
export type GroupRow = ReturnType<typeof groupRows>[number]

export const GROUP_COLUMNS: readonly (keyof GroupRow)[] = [
  ...(['kind', 'value', 'people', 'came', 'missing', 'unclear', 'at_least', 'minutes', 'average_minutes'] as const),
]

const KINDS: readonly Kind[] = ['invited', 'not-invited', 'unknown', 'signed-in', 'guest']

/**
 * Counts the people of each group or value. A person in several groups counts in each. `value` is null for people without
 * a group or value. `at_least` counts those who watched for this time; null without it. The average is of those who came.
 */
export function groupRows(attendees: Iterable<Attendee>, atLeastMs: number | null) {
  const create = (kind: Kind, value: string | null) => ({
    kind,
    value,
    people: 0,
    came: 0,
    missing: 0,
    unclear: 0,
    reached: 0,
    ms: 0,
  })
  const groups = new Map<string, ReturnType<typeof create>>()
  for (const { kind, status, values, watched } of attendees) {
    for (const value of values.length === 0 ? [null] : new Set(values)) {
      const key = `${KINDS.indexOf(kind)}${value === null ? '2' : `1${value}`}`
      const group = groups.get(key) ?? create(kind, value)
      groups.set(key, group)
      group.people += 1
      group[status] += 1
      group.ms += watched?.ms ?? 0
      if (watched !== null && watched.ms >= (atLeastMs ?? 0)) group.reached += 1
    }
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { reached, ms, ...group }]) => ({
      ...group,
      at_least: atLeastMs === null ? null : reached,
      minutes: minutes(ms),
      average_minutes: group.came === 0 ? 0 : minutes(ms / group.came),
    }))
}
