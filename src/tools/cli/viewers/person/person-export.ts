import { writeFileSync } from 'node:fs'
import { ConfigError } from '../../../../errors.ts'
import { linesAbout } from '../../security-log/lines-about.ts'
import { actsAbout } from '../../settings/manager/settings.ts'
import { messageOf, type Outcome } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { printable, printableLines } from '../../terminal/text.ts'
import { showViewer } from '../show-command.ts'
import type { ViewerFacts } from '../viewer-facts.ts'

type Env = CommandIo['env']

interface LogLine {
  readonly file: string
  readonly event: string
}

/** Logs with names of viewers. */
// biome-ignore format: one item a line
const LOGS: readonly ((env: Env, username: string) => Promise<readonly LogLine[]>)[] = [
  linesAbout,
  actsAbout,
]

/** Returns the lines of all logs about a person. `faults` says which log cannot be read. */
export async function linesOfLogs(env: Env, username: string) {
  const read = await Promise.allSettled(LOGS.map((linesOf) => linesOf(env, username)))
  const lines = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { lines, faults: read.flatMap((one) => (one.status === 'rejected' ? messageOf(one.reason) : [])) }
}

/** Returns all that stores and logs know of a person, without secrets. `faults` names those that did not answer. */
export async function knownOf(env: Env, features: readonly ViewerFacts[], name: string) {
  const shown = await showViewer(env, name, features)
  const { username, faults: ofStores, ...known } = shown.ok ? shown.data : { username: name, faults: [] }
  const faults = [...ofStores]
  const ofFeatures: Record<string, unknown> = {}
  for (const { records } of features) {
    if (records?.find === undefined) continue
    ofFeatures[records.field] = await records.find(env, username).catch((error: unknown) => {
      // A machine without the settings of the app manages viewers too.
      if (!(error instanceof ConfigError)) faults.push(messageOf(error))
      return null
    })
  }
  const isFound = Object.values(ofFeatures).some((found) => Array.isArray(found) && found.length > 0)
  if (!shown.ok && !isFound) return shown
  const { lines, faults: ofLogs } = await linesOfLogs(env, username)
  const data = { username, ...known, ...ofFeatures, log: lines, faults: [...new Set([...faults, ...ofLogs])] }
  return { ok: true, data } as const
}

/** Formats what is known of a person as a file. */
export function personFile(known: object): string {
  return `${printableLines(JSON.stringify({ exportedAt: new Date().toISOString(), ...known }, null, 2))}\n`
}

/** Writes what is known of a person into a new file, for this user only. Without a file, on standard output. */
export async function writePerson(
  { env, stdout }: CommandIo,
  features: readonly ViewerFacts[],
  person: string,
  file: string | undefined,
): Promise<Outcome> {
  const known = await knownOf(env, features, person)
  if (!known.ok) return known
  const { username, faults } = known.data
  const isPartial = faults.length > 0
  if (file === undefined) {
    stdout.write(personFile(known.data))
    return { ok: true, isPartial }
  }
  try {
    writeFileSync(file, personFile(known.data), { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`${file} cannot be created (${code}). Nothing was overwritten.`, { cause })
  }
  const text = [`Exported all that is known of ${printable(username)} to ${file}.`, ...faults].join('\n')
  return { ok: true, text, data: { file, username, faults }, isPartial }
}
