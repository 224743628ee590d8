import { InvalidArgumentError } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { isLoopbackName } from '../../../settings/fields.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import { Secret } from '../../../settings/secret.ts'
import type { CommandIo } from '../terminal/io.ts'
import { expectedLock, type WantedLock } from './expected-lock.ts'

export interface WantedOptions {
  readonly entryPoint?: string
  readonly url?: string
  readonly secretFile?: string
}

/**
 * Returns the lock that `lock set` sets: of an entry point, with the given address or secret instead of its own. If both
 * are given, the settings of the login app are not needed.
 * @throws ConfigError for wrong settings, and for a file without a secret of 128 bits.
 */
export function wantedLock(env: CommandIo['env'], { entryPoint, url, secretFile }: WantedOptions): WantedLock {
  const given = secretFile === undefined ? null : readSecret(secretFile)
  const secretOf = `the file ${secretFile}`
  if (url !== undefined && given !== null) return { url, ...given, secretOf, otherUrls: [] }
  const expected = expectedLock(env, entryPoint)
  if (given !== null) return { ...expected, ...given, secretOf }
  return url === undefined ? expected : { ...expected, url, otherUrls: [] }
}

/** Parses the address of an entry point of any login app. @throws InvalidArgumentError if viewers could not open it safely. */
export function lockAddress(text: string): string {
  const { protocol, hostname, username, password, hash } = URL.canParse(text) ? new URL(text) : new URL('about:blank')
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
  if (isSafe && username === '' && password === '' && hash === '' && !/\s/.test(text)) return text
  throw new InvalidArgumentError(
    'Give an https address without user name and fragment; plain http only on a loopback address.',
  )
}

function readSecret(path: string): Pick<WantedLock, 'secret' | 'previousSecret'> {
  const read = readNamedFile(path)
  if ('fault' in read) throw new ConfigError(`--secret-file ${read.fault}. Nothing was changed.`)
  const parsed = Secret.safeParse(read.text.trim())
  if (parsed.success) return { secret: parsed.data, previousSecret: null }
  const [issue] = parsed.error.issues
  throw new ConfigError(`The secret in the file of --secret-file ${issue?.message}. Nothing was changed.`)
}
