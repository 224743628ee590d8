import { ConfigError } from '../../../../../errors.ts'
import { columnOfKind, titlesInWords, titlesOf } from '../../../../../files/list-columns.ts'
import { openRecordFile } from '../../../../../files/record-file.ts'
import { canonicalViewer } from '../../../../../users/viewer-fields.ts'
import { viewerRows } from '../../../import/viewer-file.ts'
import { BY_GROUP, isInGroup, type PeopleChoice, type Person, personOf } from './people.ts'

/**
 * Reads the people of a CSV file with a header, such as the list of registrations. Of several rows with one name, the first
 * counts. Members of the groups are invited.
 * @throws ConfigError for a missing column, and for a row that cannot be read, with its line.
 */
export async function filePeople(path: string, { identifier, by, groups }: PeopleChoice): Promise<Person[]> {
  const file = await openRecordFile(path)
  const people = new Map<string, Person>()
  try {
    if (file.header === null) throw new ConfigError(`--invited ${path} must be a CSV file with a header.`)
    const titles = titlesOf(file.header)
    function needed(option: string, name: string, kinds: readonly string[] = []): string {
      const title = titles.find((one) => one.toLowerCase() === name.toLowerCase()) ?? columnOfKind(titles, kinds)
      if (title !== undefined) return title
      throw new ConfigError(`${option}: ${path} has no column ${JSON.stringify(name)}. ${titlesInWords(titles)}`)
    }
    const username =
      identifier === undefined
        ? needed('--invited', 'username', ['username', 'address'])
        : needed('--identifier', identifier)
    const byColumn = by === undefined || by === BY_GROUP ? by : needed('--by', by)
    const needsGroups = groups.length > 0 || by === BY_GROUP
    const ofGroups = groups.length > 0 ? '--group' : '--by'
    const groupColumn = needsGroups ? needed(ofGroups, 'groups', ['groups']) : columnOfKind(titles, ['groups'])
    const columnOfField = new Map([['username', username]])
    if (groupColumn !== undefined) columnOfField.set('groups', groupColumn)
    const ignored = new Set(titles.filter((title) => ![username, byColumn, groupColumn].includes(title)))
    const options = { columnOfField, ignored, needsPassword: false, featureColumns: [] }
    for await (const rows of viewerRows(file, options)) {
      for (const one of rows) {
        if (!one.ok) throw new ConfigError(`Line ${one.line} of ${path} ${one.fault.text}.`)
        const { groups: own = [], ...row } = one.row
        const given = Object.entries(row.attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
        const viewer = canonicalViewer({ username: row.username, groups: own, attributes: Object.fromEntries(given) })
        if (viewer.username === '' || people.has(viewer.username)) continue
        people.set(
          viewer.username,
          personOf(viewer, { identifier: undefined, by: byColumn }, isInGroup(viewer, groups)),
        )
      }
    }
  } finally {
    file.close()
  }
  if (people.size === 0) throw new ConfigError(`--invited ${path} has no row with a name.`)
  return [...people.values()]
}
