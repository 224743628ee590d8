import { JSON_ROWS, type RowForm, rowWriter } from '../output/row-writer.ts'
import type { SecurityEvent } from '../security-log/security-events.ts'
import { csvRecord } from '../terminal/csv.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { ReportSink } from '../terminal/sink.ts'
import { MOST_TABLE_ROWS, textTable } from '../terminal/table.ts'
import { counted } from '../terminal/text.ts'

export type AuditFormat = 'table' | 'csv' | 'json'

const COLUMNS = [
  'time',
  'event',
  'outcome',
  'viewer',
  'address',
  'entryPoint',
  'reason',
  'status',
  'count',
  'requestId',
  'issuer',
  'subject',
  'code',
  'device',
] as const satisfies readonly (keyof SecurityEvent)[]
const TITLES = ['Time', 'Outcome', 'Viewer', 'Address', 'Reason', 'Requests']

/**
 * Writes events as they are read, so that a log of any length needs little memory.
 * @param stdout where a table appears; null for a file.
 * @returns their number, as text.
 */
export async function writeEvents(
  format: AuditFormat,
  events: AsyncGenerator<SecurityEvent>,
  sink: ReportSink,
  stdout: CommandIo['stdout'] | null,
): Promise<string> {
  if (format === 'table') return await writeTable(events, sink, stdout)
  const csv: RowForm<SecurityEvent> = {
    head: csvRecord(COLUMNS),
    isJson: false,
    recordOf: (event) => csvRecord(COLUMNS.map((column) => event[column])),
  }
  const writer = rowWriter(sink, format === 'json' ? JSON_ROWS : csv, null)
  for await (const event of events) await writer.add([event])
  return counted(await writer.end(), 'event')
}

async function writeTable(
  events: AsyncGenerator<SecurityEvent>,
  sink: ReportSink,
  stdout: CommandIo['stdout'] | null,
): Promise<string> {
  const shown: SecurityEvent[] = []
  let total = 0
  for await (const event of events) {
    total += 1
    // The newest events matter most, and a log ends with them.
    if (shown.push(event) > MOST_TABLE_ROWS) shown.shift()
  }
  if (total > 0) await sink.write(`${await textTable(stdout, TITLES, shown.map(cellsOf))}\n`)
  const last = `The last ${counted(shown.length, 'event')} of ${total.toLocaleString('en')} (use --csv or --json for all)`
  return total > shown.length ? last : counted(total, 'event')
}

function cellsOf({ time, outcome, viewer, address, reason, code, count }: SecurityEvent): string[] {
  return [`${time.slice(0, 19)}Z`, outcome, viewer ?? '', address ?? '', code ?? reason ?? '', String(count)]
}
