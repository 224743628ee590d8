import { existsSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { ConfigError } from '../../../errors.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import { openFileSink } from '../terminal/sink.ts'

/** Values of settings by name. */
export type Values = Readonly<Record<string, string>>

const FILE = '.env'
const EXAMPLE = '.env.example'
const OWNER_ONLY = 0o600

/** The text of .env in this folder, or of .env.example if there is no .env. @throws ConfigError if it cannot be read. */
export function readEnvFile(): string {
  if (existsSync(FILE)) return textOf(FILE)
  return existsSync(EXAMPLE) ? readFileSync(EXAMPLE, 'utf8') : ''
}

/** Reads names and values from a file in the form of .env. @throws ConfigError if it cannot be read. */
export function readValues(path: string): Values {
  return valuesOf(textOf(path))
}

/** Returns the values of a text in the form of .env, without empty ones. */
export function valuesOf(text: string): Values {
  return Object.fromEntries(Object.entries(parseEnv(text)).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function textOf(path: string): string {
  const file = readNamedFile(path)
  if ('fault' in file) throw new ConfigError(`The name ${path} ${file.fault}.`)
  return file.text
}

/**
 * Writes the next .env beside the old one, so that a full disk is a fault before anything else changes. Only this user
 * can read the file. `save` replaces .env at once. The end of the
 * scope removes the file if it was not saved.
 * @returns also the names of the settings that change.
 * @throws ConfigError if the file cannot be written.
 */
export async function writeNextEnvFile(text: string, changes: Values) {
  const before = parseEnv(existsSync(FILE) ? text : '')
  const changed = Object.keys(changes).filter((name) => before[name] !== changes[name])
  if (existsSync(FILE) && changed.length === 0) {
    return { changed, save: () => chmod(FILE, OWNER_ONLY), [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const next = changedText(text, changes)
  await using opened = new AsyncDisposableStack()
  const file = opened.use(await openFileSink(FILE))
  await file.write(next)
  const unfinished = opened.move()
  return { changed, save: file.finish, [Symbol.asyncDispose]: () => unfinished.disposeAsync() }
}

/**
 * Returns a text in the form of .env with other values. Comments, other lines and their order stay. A new setting comes
 * after its default in a comment, such as `#PORT=3000`, else at the end.
 * @throws ConfigError for a value that a line cannot hold, and for a setting that has several lines.
 */
export function changedText(text: string, changes: Values): string {
  const before = parseEnv(text)
  const lines = text.split('\n')
  for (const [name, value] of Object.entries(changes)) {
    if (before[name] === value) continue
    const line = `${name}=${written(name, value)}`
    const at = lines.findLastIndex((one) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(one))
    const inComment = lines.findIndex((one) => one.startsWith(`#${name}=`))
    if (at >= 0) lines[at] = line + endOf(lines[at] ?? '')
    else if (inComment >= 0) lines.splice(inComment + 1, 0, line)
    else lines.splice(lines.at(-1) === '' ? -1 : lines.length, 0, line)
  }
  const changed = lines.join('\n')
  const wanted = { ...before, ...changes }
  if (isDeepStrictEqual({ ...parseEnv(changed) }, wanted)) return changed
  throw new ConfigError(`.env has several lines of ${Object.keys(changes).join(', ')}. Change these settings by hand.`)
}

/** Returns what follows the value of a line: a comment, and the end of a line of Windows. */
function endOf(line: string): string {
  return /^[^#'"`]*?(\s+#.*|\r)$/.exec(line)?.[1] ?? ''
}

/** Returns a value as a line holds it, in quotation marks only where needed: `docker run --env-file` keeps them. */
function written(name: string, value: string): string {
  const forms = [value, `'${value}'`, `"${value}"`, `\`${value}\``]
  const form = forms.find((one) => isDeepStrictEqual({ ...parseEnv(`${name}=${one}\n`) }, { [name]: value }))
  if (form !== undefined) return form
  throw new ConfigError(`The value of ${name} cannot stand in .env. Use another value.`)
}
