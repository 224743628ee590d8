import { ConfigError } from '../../../errors.ts'
import type { Holder } from '../../../features/access-codes/codes/new-codes.ts'
import { columnOfKind, titlesOf } from '../../../files/list-columns.ts'
import { openRecordFile } from '../../../files/record-file.ts'
import { canonicalViewer, faultInViewer } from '../../../users/viewer-fields.ts'
import { type ViewerRow, viewerRows } from '../../cli/import/viewer-file.ts'

/** Stands for a person without a name while the row is checked. */
const NO_NAME = 'guest'

/**
 * Reads the people of a file of CSV or JSON Lines: the columns `name` and `groups`, and attributes. A name may be empty.
 * @throws ConfigError for the first row that cannot be used, with its line.
 */
export async function readHolders(path: string): Promise<Holder[]> {
  const file = await openRecordFile(path)
  const holders: Holder[] = []
  try {
    const titles = titlesOf(file.header)
    const name = columnOfKind(titles, ['name', 'username', 'address']) ?? 'name'
    const columnOfField = new Map([['username', name]])
    const options = { columnOfField, ignored: new Set<string>(), needsPassword: false, featureColumns: [] }
    for await (const rows of viewerRows(file, options)) {
      for (const { line, ...one } of rows) {
        const holder = one.ok ? holderOf(one.row) : one.fault.text
        if (typeof holder === 'string') throw new ConfigError(`Line ${line} of ${path}: ${holder}`)
        holders.push(holder)
      }
    }
  } finally {
    file.close()
  }
  if (holders.length === 0) throw new ConfigError(`${path} has no row.`)
  return holders
}

function holderOf({ username, groups = [], attributes }: ViewerRow): Holder | string {
  const given = Object.entries(attributes).filter((one): one is [string, string] => one[1] !== null)
  const viewer = { username: username || NO_NAME, groups: [...groups], attributes: Object.fromEntries(given) }
  const fault = faultInViewer(viewer)
  if (fault !== null) return fault
  const canonical = canonicalViewer(viewer)
  return {
    name: username === '' ? null : canonical.username,
    groups: canonical.groups,
    attributes: canonical.attributes,
  }
}
