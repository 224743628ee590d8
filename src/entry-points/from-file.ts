import { resolve } from 'node:path'
import { sentenceOf } from '../settings/fields.ts'
import { readNamedFile } from '../settings/named-file.ts'
import { entrySource, namesInFile, type SettingSource } from '../settings/setting.ts'
import { similarField } from '../settings/unknown-settings.ts'
import type { EntryPoint } from './entry-point.ts'
import type { FeatureSettings } from './feature-settings.ts'
import type { addressRules } from './fields.ts'
import { entryPointSettings, readEntryPoint } from './read-entry-point.ts'

const NAME = 'must be the NAME of /e/NAME: 1 to 64 small letters, digits and "-"; the first character is not "-"'

type Entry = Readonly<Record<string, unknown>>
type FileResult = { readonly entryPoints: EntryPoint[] } | { readonly mistakes: string[] }

/**
 * Reads ENTRY_POINTS_FILE, a JSON array of objects. The entry point named `default` is served at `/`, the others at
 * `/e/NAME`. A relative `secretFile` is relative to the working directory, like every other path.
 * @returns the entry points, or a sentence for each mistake.
 */
export function readEntryPointsFile(
  file: string,
  rules: ReturnType<typeof addressRules>,
  features: readonly FeatureSettings[],
): FileResult {
  const read = readNamedFile(file)
  if ('fault' in read) return { mistakes: [`ENTRY_POINTS_FILE ${read.fault}`] }
  const json = parseJson(read.text)
  if (json === undefined) return { mistakes: ['ENTRY_POINTS_FILE names a file that is not JSON'] }
  if (!Array.isArray(json) || json.length === 0) {
    return { mistakes: ['ENTRY_POINTS_FILE must contain an array with at least one entry point'] }
  }
  const mistakes: string[] = []
  const entryPoints: EntryPoint[] = []
  const earlier = { names: new Set<unknown>(), previousFiles: new Set<unknown>() }
  for (const [index, item] of json.entries()) {
    const report = (mistake: string) => void mistakes.push(`ENTRY_POINTS_FILE, entry ${index + 1}: ${mistake}`)
    if (!isEntry(item)) {
      report('must be an object')
      continue
    }
    const { name } = item
    const isName = typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)
    if (!isName) report(`name ${NAME}`)
    const source = sourceOf(item, entryPointSettings(rules, features), report)
    const entryPoint = readEntryPoint(source, isName ? name : '', rules, features)
    if (isRepeated(name, earlier.names)) report('name is used by an earlier entry')
    // A change of one secret would give it to the other entry point too, even if the file is empty now.
    if (isRepeated(absolutePath(source.fileOf('secretPrevious')), earlier.previousFiles))
      report('secretPreviousFile is used by an earlier entry: give each entry its own file')
    entryPoints.push(entryPoint)
  }
  return mistakes.length > 0 ? { mistakes } : { entryPoints }
}

/** Returns the names and brands in ENTRY_POINTS_FILE, for a command that needs nothing else of it. Ignores mistakes. */
export function entryPointNames(file: string): string[] {
  return entriesIn(file)
    .flatMap(({ name, brandName }) => [name, brandName])
    .filter((name) => typeof name === 'string')
}

/** Returns the entries of ENTRY_POINTS_FILE as they are written. Ignores mistakes. */
export function entriesIn(file: string): Entry[] {
  const read = readNamedFile(file)
  const json = 'text' in read ? parseJson(read.text) : null
  return (Array.isArray(json) ? json : []).filter(isEntry)
}

function sourceOf(
  entry: Entry,
  settings: ReturnType<typeof entryPointSettings>,
  report: (mistake: string) => void,
): SettingSource {
  const known = ['name', ...namesInFile(settings)]
  const unknown = Object.keys(entry).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const named = unknown.map((name) => {
      const meant = similarField(name, known)
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`
    })
    report(`has unknown fields: ${named.join(', ')}; src/entry-points/README.md lists all fields`)
  }
  const refuse = (name: string, message: string) => report(sentenceOf([name], message))
  const refuseUnused = (names: readonly string[]) =>
    report(`has fields of another answer to the player: ${names.join(', ')}; remove them`)
  return entrySource(entry, settings, refuse, refuseUnused)
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

function absolutePath(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

/** @returns undefined for a text that is not JSON. A SyntaxError would repeat a part of the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
