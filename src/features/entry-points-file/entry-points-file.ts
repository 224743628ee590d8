import { resolve } from 'node:path'
import type { NamedSource } from '../../entry-points/feature-settings.ts'
import { jsonIn } from '../../json-text.ts'
import type { Environment } from '../../settings/fields.ts'
import { readNamedFile } from '../../settings/named-file.ts'
import { inEnvironment, type Settings } from '../../settings/setting.ts'
import { type Entry, entrySource } from './entry-source.ts'

const NAME = 'must be the NAME of /e/NAME: 1 to 64 small letters, digits and "-"; the first character is not "-"'

/**
 * Reads ENTRY_POINTS_FILE, a JSON array of objects. The entry point named `default` is served at `/`, the others at
 * `/e/NAME`. A relative `secretFile` is relative to the working directory, like every other path.
 * @param given the settings of the environment, which may have none of an entry point.
 * @param report gets a sentence for each mistake.
 */
export function* readSources(
  file: string,
  given: Environment,
  all: Settings,
  report: (mistake: string) => void,
): Generator<NamedSource> {
  const names = Object.keys(inEnvironment(all)).filter((name) => given[name] !== undefined)
  if (names.length > 0) {
    const asGiven = names.map((name) => (given[`${name}_FILE`] === undefined ? name : `${name}_FILE`))
    report(`ENTRY_POINTS_FILE is set and replaces ${asGiven.join(', ')}: remove one or the other`)
  }
  const earlier = { names: new Set<unknown>(), previousFiles: new Set<unknown>() }
  for (const [index, entry] of readEntries(file, report).entries()) {
    const reportHere = (mistake: string) => report(`ENTRY_POINTS_FILE, entry ${index + 1}: ${mistake}`)
    if (!isEntry(entry)) {
      reportHere('must be an object')
      continue
    }
    const { name } = entry
    const isName = typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)
    if (!isName) reportHere(`name ${NAME}`)
    if (isRepeated(name, earlier.names)) reportHere('name is used by an earlier entry')
    const { secretPreviousFile: previousFile } = entry
    // A change of one secret would give it to the other entry point too. The file may be empty until then.
    if (typeof previousFile === 'string' && isRepeated(resolve(previousFile), earlier.previousFiles))
      reportHere('secretPreviousFile is used by an earlier entry: give each entry its own file')
    const open = () => ({ ...entrySource(entry, all, reportHere), file })
    yield { name: isName ? name : '', open, text: JSON.stringify(entry) }
  }
}

function readEntries(file: string, report: (mistake: string) => void): unknown[] {
  const read = readNamedFile(file)
  const json = 'text' in read ? jsonIn(read.text.replace(/^\ufeff/, '')) : null
  if (Array.isArray(json) && json.length > 0) return json
  const notArray = 'must contain an array with at least one entry point'
  const fault = 'fault' in read ? read.fault : json === undefined ? 'names a file that is not JSON' : notArray
  report(`ENTRY_POINTS_FILE ${fault}`)
  return []
}

function isEntry(item: unknown): item is Entry {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
}

/** True if an earlier entry has this text. Adds the text to those of the earlier entries. */
function isRepeated(text: unknown, earlier: Set<unknown>): boolean {
  const isKnown = typeof text === 'string' && earlier.has(text)
  earlier.add(text)
  return isKnown
}
