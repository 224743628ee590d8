import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse'
import { parseMailPattern } from '../../services/guests/mail-address.ts'
import type { Viewer } from '../../users/user-store.ts'
import { canonicalText, faultInAttributeName, faultInAttributeValue, faultInGroup } from '../../users/viewer-fields.ts'

/** The data of a guest besides the address, for the policy and the player. */
export type Guest = Pick<Viewer, 'groups' | 'attributes'>

/** A guest of the file: with an address, or with a domain after `*@`. */
type GuestRow = readonly [pattern: string, guest: Guest]

const ADDRESS_COLUMNS = ['address', 'email', 'e-mail', 'mail']
const GROUPS_COLUMN = 'groups'
const MOST_ROWS = 200_000

/**
 * Reads a CSV file of guests. The first column is the address; without a header line, it is the only one. The column
 * `groups` has names with `;` between them, every other column is an attribute.
 * @throws Error with a sentence that names the line, and no address.
 */
export async function readGuestFile(content: Buffer): Promise<ReadonlyMap<string, Guest>> {
  const rows: GuestRow[] = []
  let header: readonly string[] | null = null
  const options = { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true, info: true } as const
  if (content.length === 0) throw new Error('is empty')
  if (!isUtf8(content)) throw new Error('is not UTF-8: in Excel, save it as "CSV UTF-8"')
  const text = content.toString()
  const [firstLine = ''] = text.split('\n', 1)
  // Spreadsheets of many countries write semicolons.
  const delimiter = [',', ';', '\t'].find((one) => firstLine.includes(one)) ?? ','
  const records = parse(text, { ...options, delimiter })
  for await (const read of records) {
    const { record, info } = read as { record: string[]; info: { lines: number } }
    if (header === null) {
      const hasHeader = parseMailPattern(record[0] ?? '') === null
      header = hasHeader ? headerOf(record) : ['address']
      if (hasHeader) continue
    }
    rows.push(rowOf(record, header, info.lines))
    if (rows.length > MOST_ROWS) throw new Error(`has more than ${MOST_ROWS} rows`)
  }
  return new Map(rows)
}

function headerOf(record: readonly string[]): readonly string[] {
  const names = record.map((name) => canonicalText(name))
  const isAddress = ADDRESS_COLUMNS.includes(names[0]?.toLowerCase() ?? '')
  if (!isAddress) throw new Error('must begin with the column "address", or with an address')
  for (const name of names.slice(1)) {
    const fault = name === GROUPS_COLUMN ? null : faultInAttributeName(name)
    if (fault !== null) throw new Error(`has a column whose name ${fault}`)
  }
  if (new Set(names).size !== names.length) throw new Error('has two columns with the same name')
  return names
}

function rowOf(record: readonly string[], header: readonly string[], line: number): GuestRow {
  const pattern = parseMailPattern(record[0] ?? '')
  if (pattern === null) throw new Error(`has no address in line ${line}`)
  if (record.length > header.length) throw new Error(`has more cells than columns in line ${line}`)
  const attributes: Record<string, string> = {}
  let groups: string[] = []
  for (const [index, name] of header.entries()) {
    const value = canonicalText(record[index] ?? '')
    if (index === 0 || value === '') continue
    const isGroups = name === GROUPS_COLUMN
    if (isGroups) groups = value.split(/\s*;\s*/).filter((group) => group !== '')
    else attributes[name] = value
    const fault = isGroups ? groups.map(faultInGroup).find((one) => one !== null) : faultInAttributeValue(value)
    if (fault) throw new Error(`has a value in line ${line} that ${fault}`)
  }
  return ['address' in pattern ? pattern.address : `*@${pattern.domain}`, { groups, attributes }]
}
