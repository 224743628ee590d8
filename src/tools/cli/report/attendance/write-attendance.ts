import { JSON_ROWS, type RowForm, rowWriter } from '../../output/row-writer.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import { csvRecord } from '../../terminal/csv.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { ReportSink } from '../../terminal/sink.ts'
import { MOST_TABLE_ROWS } from '../../terminal/table.ts'
import { counted } from '../../terminal/text.ts'
import { writeTable } from '../table/fit-table.ts'
import type { Attendee } from './attendance.ts'
import { ATTENDANCE_COLUMNS, attendanceRow, type CellValue, GROUP_COLUMNS, groupRows } from './attendance-rows.ts'
import { attendanceCells, groupCells } from './attendance-table.ts'

export interface AttendanceLook {
  readonly isBy: boolean
  readonly atLeastMs: number | null
  readonly isForExcel: boolean
}

const LIST_SEPARATOR = '; '

/** True for who watched for this time. A guest gets no certificate. @param atLeastMs null: true for all. */
export function hasReached({ watched, name }: Attendee, atLeastMs: number | null): boolean {
  return atLeastMs === null || (watched !== null && name !== null && watched.ms >= atLeastMs)
}

/** Yields those who watched for this time. */
export function reaching(attendees: Iterable<Attendee>, atLeastMs: number | null) {
  return Iterator.from(attendees).filter((attendee) => hasReached(attendee, atLeastMs))
}

function rowsOf(all: () => Iterable<Attendee>, { isBy, atLeastMs }: AttendanceLook): Iterable<object> {
  if (isBy) return groupRows(all(), atLeastMs)
  return reaching(all(), atLeastMs).map(attendanceRow(machineTimeZone()))
}

/** Writes all rows as CSV or JSON. Returns their number as text. */
export async function writeRows(
  format: 'csv' | 'json',
  sink: ReportSink,
  all: () => Iterable<Attendee>,
  look: AttendanceLook,
): Promise<string> {
  const columns: readonly string[] = look.isBy ? GROUP_COLUMNS : ATTENDANCE_COLUMNS
  const csv: RowForm<object> = {
    head: `${look.isForExcel ? '\ufeff' : ''}${csvRecord(columns)}`,
    isJson: false,
    recordOf: (row) => csvLine(row as Readonly<Record<string, CellValue>>, columns),
  }
  const writer = rowWriter(sink, format === 'json' ? JSON_ROWS : csv, null)
  await writer.add(rowsOf(all, look))
  return counted(await writer.end(), 'row')
}

function csvLine(row: Readonly<Record<string, CellValue>>, columns: readonly string[]): string {
  return csvRecord(
    columns.map((column) => {
      const value = row[column] ?? null
      return typeof value === 'object' && value !== null ? value.join(LIST_SEPARATOR) : value
    }),
  )
}

/** Writes a table. @param stdout null for a file. */
export async function writeAttendanceTable(
  stdout: CommandIo['stdout'] | null,
  sink: ReportSink,
  all: () => Iterable<Attendee>,
  { isBy, atLeastMs }: AttendanceLook,
): Promise<string> {
  const { titles, cells } = isBy ? groupCells(groupRows(all(), atLeastMs)) : attendanceCells(reaching(all(), atLeastMs))
  const shown: (readonly string[])[] = []
  let count = 0
  for (const row of cells) {
    count += 1
    if (shown.length < MOST_TABLE_ROWS) shown.push(row)
  }
  if (count === 0) return counted(0, 'row')
  await writeTable(sink, stdout, { titles, rows: shown })
  const words = counted(shown.length, 'row')
  return count > shown.length
    ? `The first ${words} of ${count.toLocaleString('en')}. Use --csv or --json for all`
    : words
}
