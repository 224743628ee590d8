import { ConfigError } from '../../../../../errors.ts'
import { canonicalText } from '../../../../../users/viewer-fields.ts'
import { type FileRecord, openRecordFile } from '../../../terminal/record-file.ts'
import { BY_GROUP, type PeopleChoice, type Person } from './people.ts'

/** The columns with the name, if no other is chosen. */
const NAMES = ['username', 'email']
const GROUPS = 'groups'

interface Columns {
  readonly count: number
  readonly name: number
  readonly groups: number | null
  /** The column that the report is by. */
  readonly by: number | null
}

/**
 * Reads the people of a CSV file with a header, such as the list of registrations. Of several rows with one name, the first
 * counts. Members of the groups are invited.
 * @throws ConfigError for a missing column, and for a row that cannot be read, with its line.
 */
export async function filePeople(path: string, choice: PeopleChoice): Promise<Person[]> {
  const file = await openRecordFile(path)
  const people = new Map<string, Person>()
  let columns: Columns | null = null
  try {
    if (file.isJsonLines) throw new ConfigError(`--invited ${path} must be a CSV file with a header.`)
    for await (const records of file.records) {
      for (const record of records) {
        if (columns === null) {
          columns = columnsOf(path, record.cells, choice)
          continue
        }
        const person = personOf(path, record, columns, choice)
        const name = person.identifier ?? ''
        if (name !== '' && !people.has(name)) people.set(name, person)
      }
    }
  } finally {
    file.close()
  }
  if (people.size === 0) throw new ConfigError(`--invited ${path} has no row with a name.`)
  return [...people.values()]
}

/** @throws ConfigError if a column is missing. */
function columnsOf(path: string, cells: readonly string[], { identifier, by, groups }: PeopleChoice): Columns {
  const header = cells.map((cell) => cell.trim())
  const placeOf = (name: string) => {
    const place = header.findIndex((column) => column.toLowerCase() === name.toLowerCase())
    return place < 0 ? null : place
  }
  function needed(option: string, names: readonly string[]): number {
    for (const name of names) {
      const place = placeOf(name)
      if (place !== null) return place
    }
    const has = header.map((column) => JSON.stringify(column)).join(', ')
    const missing = names.map((name) => JSON.stringify(name)).join(' or ')
    throw new ConfigError(`${option}: ${path} has no column ${missing}. It has: ${has}.`)
  }
  const ofGroups = groups.length > 0 ? '--group' : '--by'
  return {
    count: header.length,
    name: identifier === undefined ? needed('--invited', NAMES) : needed('--identifier', [identifier]),
    groups: groups.length > 0 || by === BY_GROUP ? needed(ofGroups, [GROUPS]) : placeOf(GROUPS),
    by: by === undefined || by === BY_GROUP ? null : needed('--by', [by]),
  }
}

function personOf(path: string, record: FileRecord, columns: Columns, { by, groups: wanted }: PeopleChoice): Person {
  const { line, cells, isMisquoted } = record
  const fault = isMisquoted
    ? 'has a cell whose quotation marks do not match'
    : cells.length !== columns.count
      ? `has ${cells.length} cells where the header has ${columns.count}`
      : cells.some((cell) => cell.includes('\ufffd'))
        ? 'contains bytes that are not UTF-8'
        : null
  if (fault !== null) throw new ConfigError(`Line ${line} of ${path} ${fault}.`)
  const textAt = (place: number | null) => (place === null ? '' : canonicalText((cells[place] ?? '').trim()))
  const name = textAt(columns.name)
  const groups = textAt(columns.groups)
    .split(/[,;]/)
    .flatMap((group) => group.trim() || [])
  const value = textAt(columns.by)
  return {
    username: name,
    identifier: name,
    groups,
    values: by === BY_GROUP ? groups : value === '' ? [] : [value],
    isInvited: wanted.length === 0 || wanted.some((group) => groups.includes(canonicalText(group))),
  }
}
