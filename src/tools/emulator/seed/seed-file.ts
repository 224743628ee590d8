import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { EmulatorStartError } from '../companion.ts'
import { wrongReferences } from './seed-references.ts'
import { SeedFile } from './seed-schema.ts'

export type SeedFileCheck =
  | { readonly ok: true; readonly file: SeedFile }
  /** Sentences that begin with the place of the mistake, such as "clients[0].owner". */
  | { readonly ok: false; readonly mistakes: readonly string[] }

/** Checks the content of a seed file. Lists all wrong values, or if there is none, all wrong references. */
export function checkSeedFile(json: unknown): SeedFileCheck {
  const parsed = SeedFile.safeParse(json)
  const mistakes = parsed.success ? wrongReferences(parsed.data) : parsed.error.issues
  if (parsed.success && mistakes.length === 0) return { ok: true, file: parsed.data }
  return { ok: false, mistakes: mistakes.map(({ path, message }) => `${placeOf(path)} ${message}`) }
}

/** @throws EmulatorStartError with all mistakes if the file cannot be read or is not a seed. */
export function readSeedFile(path: string): SeedFile {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    // The message of JSON.parse() quotes the file, which holds secrets.
    const position = cause instanceof SyntaxError ? (/ \(line \d+ column \d+\)/.exec(cause.message)?.[0] ?? '') : ''
    const fault = cause instanceof SyntaxError ? `is not JSON${position}` : 'cannot be read'
    throw new EmulatorStartError(`The seed file ${path} ${fault}`, { cause })
  }
  const checked = checkSeedFile(json)
  if (checked.ok) return checked.file
  throw new EmulatorStartError(
    `The seed file ${path} has mistakes:\n${checked.mistakes.map((line) => `  ${line}`).join('\n')}`,
  )
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'The file' : z.core.toDotPath(path)
}
