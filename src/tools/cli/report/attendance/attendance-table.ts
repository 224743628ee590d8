import { machineTimeZone } from '../../output/time-zone.ts'
import { timeText } from '../table/report-table.ts'
import { durationWords } from '../words.ts'
import type { Attendee, Kind } from './attendance.ts'
import { attendanceRow, type GroupRow } from './attendance-rows.ts'

interface Table {
  readonly titles: readonly string[]
  readonly cells: Iterable<readonly string[]>
}

/** Words for the rows of those who are not in the list. */
const KIND_WORDS: Readonly<Record<Kind, string>> = {
  invited: 'invited',
  'not-invited': 'not invited',
  unknown: 'not in the list',
  'signed-in': 'signed in',
  guest: 'guest',
}

export function attendanceCells(attendees: Iterable<Attendee>): Table {
  const now = { zone: machineTimeZone(), nowMs: Date.now() }
  const rowOf = attendanceRow(now.zone)
  const time = (text: string | null) => (text === null ? '' : timeText(text, now))
  const cellsOf = (attendee: Attendee) => {
    const { watched } = attendee
    const row = rowOf(attendee)
    const times = [watched?.liveMs, watched?.recordedMs, watched?.ms].map((ms) => (ms ? durationWords(ms) : ''))
    return [nameOf(attendee), row.status, time(row.first_in), time(row.last_out), ...times, noteOf(attendee)]
  }
  const titles = ['Viewer', 'Status', 'First in', 'Last out', 'Live', 'Recorded', 'In all', 'Note']
  return { titles, cells: Iterator.from(attendees).map(cellsOf) }
}

export function groupCells(rows: readonly GroupRow[]): Table {
  const hasLeast = rows.some(({ at_least }) => at_least !== null)
  const titles = ['Group', 'People', 'Came', 'Missing', 'Unclear', ...(hasLeast ? ['Long enough'] : []), 'Average']
  const cellsOf = (row: GroupRow) => [
    ...[groupName(row), row.people, row.came, row.missing, row.unclear],
    ...(hasLeast ? [row.at_least ?? 0] : []),
    row.came === 0 ? '' : durationWords(row.average_minutes * 60_000),
  ]
  return { titles, cells: rows.map((row) => cellsOf(row).map(String)) }
}

/** Returns the name of a group, and the kind of its people if they were not invited. */
export function groupName({ kind, value }: GroupRow): string {
  if (kind === 'invited') return value ?? '(none)'
  return value === null ? `(${KIND_WORDS[kind]})` : `${value} (${KIND_WORDS[kind]})`
}

export function nameOf({ name }: Attendee): string {
  return name ?? '(guest)'
}

/** Returns what is special about an attendee. */
export function noteOf({ kind, name, match, serviceNames, possibleNames, isRunning }: Attendee): string {
  const others = serviceNames.filter((one) => one !== name).join(', ')
  return [
    ...(kind === 'invited' || kind === 'signed-in' || kind === 'guest' ? [] : [KIND_WORDS[kind]]),
    ...(match === 'changed' ? [`spelled otherwise: ${others}`] : []),
    ...(match === 'ambiguous' ? [`may be ${possibleNames.join(' or ')}`] : []),
    ...(isRunning ? ['without an end'] : []),
  ].join('; ')
}
