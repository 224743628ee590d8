import type { Attendee, Kind } from './attendance.ts'
import { minutes } from './attendance-rows.ts'

/** The attendance of a group, or of the people with one value of an attribute. */
export type GroupRow = ReturnType<typeof groupRows>[number]

export const GROUP_COLUMNS: readonly (keyof GroupRow)[] = [
  ...(['kind', 'value', 'people', 'came', 'missing', 'unclear', 'at_least', 'minutes', 'average_minutes'] as const),
]

const KINDS: readonly Kind[] = ['invited', 'not-invited', 'unknown', 'signed-in', 'guest']

/**
 * Counts by group or value. Who is in several groups counts in each. `value` is null for people without one, and `at_least`
 * counts who watched for that time: null without it. The average is of those who came.
 */
export function groupRows(attendees: Iterable<Attendee>, atLeastMs: number | null) {
  const create = (kind: Kind, value: string | null) => ({
    ...{ kind, value, people: 0, came: 0, missing: 0, unclear: 0, reached: 0, ms: 0 },
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
