import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { orUndefined } from '../errors.ts'
import { type Environment, fail } from './fields.ts'

/**
 * Reads the file that a setting names. Returns its text, or a fault: the end of a sentence that starts with the name of
 * the setting. The fault does not repeat the path, which may be a secret in the wrong place.
 */
export function readNamedFile(path: string): { text: string } | { fault: string } {
  const read = readNamedBytes(path)
  return 'fault' in read ? read : { text: read.content.toString() }
}

/** Reads the file that a setting names as bytes. Returns a fault as readNamedFile() does, also for a larger file. */
export function readNamedBytes(path: string, mostBytes = Number.MAX_VALUE): { content: Buffer } | { fault: string } {
  try {
    const status = statSync(path)
    // A device or pipe may never end. A link to a file is a file. A folder has its own error.
    if (!status.isFile() && !status.isDirectory()) return { fault: 'names a device or pipe instead of a file' }
    if (status.size > mostBytes) {
      return { fault: `names a file of ${kilobytes(status.size)}. Use a file of at most ${kilobytes(mostBytes)}` }
    }
    return { content: readFileSync(path) }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { fault: FILE_FAULTS[code] ?? `names a file that cannot be read (${code})` }
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that does not exist',
  EACCES: 'names a file that this user may not read',
  EISDIR: 'names a folder instead of a file',
}

/**
 * The path of a file that is written, and created if it is missing. A pipe or device is accepted too, and a path that
 * cannot be examined, such as one below a folder of another user.
 */
export const WrittenFile = z
  .string()
  .refine((path) => orUndefined(() => statSync(path))?.isDirectory() !== true, FILE_FAULTS.EISDIR)

/** The path of a PEM file of certificates. Read at the start, so that a missing file does not fail a sign-in. */
export const CertificatesFile = z.string().transform((path, context): string => {
  const read = readNamedFile(path)
  if ('fault' in read) return fail(context, read.fault)
  const blocks = read.text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const isReadable = blocks.length > 0 && blocks.every((block) => orUndefined(() => new X509Certificate(block)))
  return isReadable ? read.text : fail(context, 'names a file without a certificate in PEM form')
})

export type GivenSettings = ReturnType<typeof readGivenSettings>

/**
 * Reads `NAME_FILE` for each of `secrets`, and returns the trimmed content of the file as `NAME`. Only the file of a
 * setting `…_PREVIOUS` may be empty, which means that there is none.
 * @param secrets the settings that may also be given as a file.
 * @returns the settings that are not empty, and a sentence for each file that cannot be used. The settings of these files are
 *   `unreadable`: do not report that they are missing.
 */
export function readGivenSettings(environment: Environment, secrets: readonly string[]) {
  const given: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const mistakes: string[] = []
  const unreadable: string[] = []
  for (const name of secrets) {
    const file = given[`${name}_FILE`]
    // Node drops a comment behind a value in a .env file; `docker run --env-file` keeps it as a part of the value.
    if (/\s#/.test(given[name] ?? '')) {
      mistakes.push(`${name} contains a comment: remove it, or put a value with a space before # into ${name}_FILE`)
    }
    if (file === undefined) continue
    if (given[name] !== undefined) mistakes.push(`${name} and ${name}_FILE are both set: remove one`)
    const read = readNamedFile(file)
    const isOptional = name.endsWith('_PREVIOUS')
    const text = 'text' in read ? read.text.trim() : ''
    const fault = 'fault' in read ? read.fault : text === '' && !isOptional ? 'names an empty file' : null
    given[name] = fault === null && text !== '' ? text : undefined
    if (fault === null) continue
    mistakes.push(`${name}_FILE ${fault}`)
    unreadable.push(name)
  }
  return { given, unreadable, mistakes }
}
