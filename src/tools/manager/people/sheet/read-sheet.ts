import { Readable } from 'node:stream'
import type { Viewer } from '../../../../users/user-store.ts'
import { type FileRow, meaningOf, type RowField, rowFault, viewerRows } from '../../../cli/import/viewer-file.ts'
import type { TimeZone } from '../../../cli/output/time-zone.ts'
import { type FileRecord, openRecordStream } from '../../../cli/terminal/record-file.ts'
import type { ViewerFacts } from '../../../cli/viewers/viewer-facts.ts'
import type { Scope } from '../../door/scope.ts'
import TITLES from './column-titles.json' with { type: 'json' }
import { isoDate } from './sheet-dates.ts'

export interface SheetOptions {
  readonly dayFirst: boolean
  /** True if viewers without a password are possible, because they get an invitation. */
  readonly invites: boolean
}

interface ReadOptions extends SheetOptions {
  /** The zone of times in the sheet. */
  readonly zone: TimeZone
  /** Features may have columns of their own. */
  readonly viewerFacts: readonly Pick<ViewerFacts, 'column'>[]
}

/** A column, and how it was understood. */
export interface SheetColumn {
  readonly title: string
  readonly meaning: ReturnType<typeof meaningOf>
}

/** Hashes come from other systems, with an engineer and the command line. */
const REFUSED = ['password_hash', 'password_salt']

/** Finds the columns of the fields by the titles that people write, which `column-titles.json` has in lower case. */
function columnsIn(titles: readonly string[]): Map<RowField, string> {
  const found = Object.entries(TITLES).flatMap(([field, names]): [RowField, string][] => {
    const title = titles.find((one) => names.includes(one.toLowerCase()))
    return title === undefined ? [] : [[field, title]]
  })
  return new Map(found)
}

/**
 * Opens a sheet, and finds out what its columns mean.
 * @throws ConfigError for a sheet without a column of names, or with a column that cannot be an attribute. Reading
 *   the rows throws it too.
 */
export async function openSheet(text: string, { dayFirst, invites, zone, viewerFacts }: ReadOptions) {
  const file = await openRecordStream('The sheet', Readable.from([Buffer.from(text)]))
  const iterator = cleanRecords(file.records)[Symbol.asyncIterator]()
  const first = await iterator.next()
  const [header, ...rows] = first.done ? [] : first.value
  const titles = (header?.cells ?? []).map((title) => title.trim())
  const columnOfField = columnsIn(titles)
  const until = columnOfField.get('until')
  const untilIndex = until === undefined ? -1 : titles.indexOf(until)
  // A row may have fewer cells than the header, which is a mistake of its own.
  const dated = (record: FileRecord) => ({
    ...record,
    cells: record.cells.map((cell, index) => (index === untilIndex ? isoDate(cell, dayFirst) : cell)),
  })
  async function* records(): AsyncGenerator<FileRecord[]> {
    if (header) yield [header]
    yield rows.map(dated)
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value.map(dated)
  }
  const options = {
    columnOfField,
    ignored: new Set(titles.filter((title) => REFUSED.includes(title.toLowerCase()))),
    needsPassword: !invites,
    featureColumns: viewerFacts.flatMap(({ column }) => column?.(zone) ?? []),
  }
  return {
    columns: titles.map((title): SheetColumn => ({ title, meaning: meaningOf(title, options) })),
    rows: viewerRows({ isJsonLines: false, sizeBytes: 0, records: records(), close: file.close }, options),
  }
}

/** Leaves out empty rows, and the empty columns that Excel writes behind the last one. */
async function* cleanRecords(batches: AsyncIterable<readonly FileRecord[]>): AsyncGenerator<FileRecord[]> {
  let width: number | null = null
  for await (const batch of batches) {
    const full = batch.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    if (full.length === 0) continue
    const last = full[0]?.cells.findLastIndex((cell) => cell.trim() !== '') ?? 0
    const columns: number = width ?? last + 1
    width = columns
    yield full.map((record) => {
      const isWider = record.cells.slice(columns).every((cell) => cell.trim() === '')
      return isWider ? { ...record, cells: record.cells.slice(0, columns) } : record
    })
  }
}

/** Turns rows that the manager may not write into faults. @param known returns the viewer of a name, if there is one. */
export async function* inScope(
  batches: AsyncIterable<readonly FileRow[]>,
  scope: Scope,
  known: (username: string) => Promise<Viewer | null>,
): AsyncGenerator<FileRow[]> {
  for await (const batch of batches) {
    yield await Promise.all(
      batch.map(async (row): Promise<FileRow> => {
        if (!row.ok || scope.groups === null) return row
        const before = await known(row.row.username)
        const groups = row.row.groups ?? before?.groups ?? []
        const isSeen = before === null || scope.seesViewer(before)
        if (isSeen && scope.mayGive(groups, before?.groups)) return row
        const { line, endByte } = row
        const own = scope.groups.join(', ')
        const fault = rowFault('needsGroup', `needs a group that you manage: ${own}`, { groups: own })
        return { line, endByte, ok: false, fault }
      }),
    )
  }
}
