import { Readable } from 'node:stream'
import { columnOfKind, rowFault, titlesOf } from '../../../../files/list-columns.ts'
import { type FileRecord, openRecordStream } from '../../../../files/record-file.ts'
import type { Viewer } from '../../../../users/user-store.ts'
import { type FileRow, meaningOf, viewerRows, withColumns } from '../../../cli/import/viewer-file.ts'
import type { ViewerFacts } from '../../../cli/viewers/viewer-facts.ts'
import type { Scope } from '../../door/scope.ts'
import { isoDate } from '../../pages/iso-date.ts'

export interface SheetOptions {
  readonly dayFirst: boolean
  /** True if viewers without a password are possible, because they get an invitation. */
  readonly invites: boolean
}

interface ReadOptions extends SheetOptions {
  /** The zone of times in the sheet. */
  readonly zone: string
  /** Features may have columns of their own. */
  readonly viewerFacts: readonly Pick<ViewerFacts, 'column'>[]
}

/** A column, and how it was understood. */
export interface SheetColumn {
  readonly title: string
  readonly meaning: ReturnType<typeof meaningOf>
}

/** Hashes come from other systems, with an engineer and the command line. */
const REFUSED = ['password_hash', 'password_salt'] as const

/**
 * Opens a sheet, and finds out what its columns mean.
 * @throws ConfigError for a sheet without a column of names, or with a column that cannot be an attribute. Reading
 *   the rows throws it too.
 */
export async function openSheet(text: string, { dayFirst, invites, zone, viewerFacts }: ReadOptions) {
  const file = await openRecordStream('The sheet', Readable.from([Buffer.from(text)]))
  const titles = titlesOf(file.header)
  const options = withColumns(titles, {
    columnOfField: new Map(),
    ignored: new Set(titles.filter((title) => columnOfKind([title], REFUSED) !== undefined)),
    needsPassword: !invites,
    featureColumns: viewerFacts.flatMap(({ column }) => column?.(zone) ?? []),
  })
  const untilIndex = titles.indexOf(options.columnOfField.get('until') ?? '')
  const dated = (record: FileRecord) => ({
    ...record,
    cells: record.cells.map((cell, index) => (index === untilIndex ? isoDate(cell, dayFirst) : cell)),
  })
  async function* records(): AsyncGenerator<FileRecord[]> {
    for await (const batch of file.records) yield batch.map(dated)
  }
  return {
    columns: titles.map((title): SheetColumn => ({ title, meaning: meaningOf(title, options) })),
    rows: viewerRows({ ...file, sizeBytes: 0, records: records() }, options),
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
