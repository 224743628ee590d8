import { Readable } from 'node:stream'
import { cleanCell, columnOfKind, faultInRecord, titlesOf } from '../../files/list-columns.ts'
import { type FileRecord, openRecordStream } from '../../files/record-file.ts'
import { parseMailPattern } from '../../services/guests/mail-address.ts'
import type { Viewer } from '../../users/user-store.ts'
import { canonicalText, faultInAttributeName, faultInAttributeValue, faultInGroup } from '../../users/viewer-fields.ts'

/** The data of a guest besides the address, for the policy and the player. */
export type Guest = Pick<Viewer, 'groups' | 'attributes'>

/** The columns of a list. A list without a header has addresses alone. */
type Columns = ReturnType<typeof columnsOf>

const MOST_ROWS = 200_000

/**
 * Reads a CSV list of guests. One column is the address. The column `groups` has names with `;` between them, every other
 * column is an attribute. Without a header, the column with an address counts alone. A bad row is left out.
 * @throws Error with the end of a sentence for a list without a usable header or row.
 */
export async function readGuestFile(content: Buffer) {
  const file = await openRecordStream('the file', Readable.from([content]))
  if (file.header === null) throw new Error(file.isJsonLines ? 'is JSON: save it as CSV' : 'is empty')
  const columns = columnsOf(file.header)
  const guests = new Map<string, Guest>()
  const faults: string[] = []
  function add(record: FileRecord): void {
    const row = rowOf(record, columns)
    if (typeof row === 'string') faults.push(`line ${record.line} ${row}`)
    else guests.set(row.pattern, row.guest)
  }
  if (!columns.hasHeader) add(file.header)
  for await (const records of file.records) {
    for (const record of records) add(record)
    if (guests.size > MOST_ROWS) throw new Error(`has more than ${MOST_ROWS} rows`)
  }
  if (guests.size === 0 && faults.length > 0) throw new Error(`has no usable row: ${faults[0]}`)
  return { guests, faults }
}

function columnsOf(header: FileRecord) {
  const titles = titlesOf(header).map(canonicalText)
  const address = header.cells.findIndex((cell) => parseMailPattern(cleanCell(cell)) !== null)
  if (address >= 0) return { titles, address, groups: -1, hasHeader: false }
  const title = columnOfKind(titles, ['address', 'username'])
  if (title === undefined) throw new Error('must have a column "address", or begin with an address')
  const groups = titles.indexOf(columnOfKind(titles, ['groups']) ?? '')
  const columns = { titles, address: titles.indexOf(title), groups, hasHeader: true }
  for (const [index, name] of titles.entries()) {
    const fault = index === columns.address || index === groups ? null : faultInAttributeName(name)
    if (fault !== null) throw new Error(`has a column whose name ${fault}`)
  }
  if (new Set(titles).size !== titles.length) throw new Error('has two columns with the same name')
  return columns
}

/** Returns the guest of a row, or why there is none, as the end of a sentence. */
function rowOf(
  record: FileRecord,
  { titles, address, groups: groupsIndex, hasHeader }: Columns,
): { readonly pattern: string; readonly guest: Guest } | string {
  const fault = faultInRecord(record, record.cells.length)
  if (fault !== null) return fault.text
  const pattern = parseMailPattern(cleanCell(record.cells[address]))
  if (pattern === null) return 'has no address'
  if (hasHeader && record.cells.length > titles.length) return 'has more cells than columns'
  const attributes: Record<string, string> = {}
  let groups: string[] = []
  for (const [index, name] of hasHeader ? titles.entries() : []) {
    const value = canonicalText(cleanCell(record.cells[index]))
    if (index === address || value === '') continue
    const isGroups = index === groupsIndex
    if (isGroups) groups = value.split(/\s*;\s*/).filter((group) => group !== '')
    else attributes[name] = value
    const inValue = isGroups ? groups.map(faultInGroup).find((one) => one !== null) : faultInAttributeValue(value)
    if (inValue) return `has a value that ${inValue}`
  }
  return { pattern: 'address' in pattern ? pattern.address : `*@${pattern.domain}`, guest: { groups, attributes } }
}
