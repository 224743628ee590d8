import { InvalidArgumentError } from 'commander'
import { readEntryPointSettings } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { isLoopbackName } from '../../../settings/fields.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import { Secret } from '../../../settings/secret.ts'
import type { Lock } from '../../video-service/locks.ts'
import { addressOf, chosenHashEntryPoint } from '../settings/chosen-entry-point.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'

/** The address and secret that a lock should have. During a change of the secret, the previous one is right too. */
export type WantedLock = Pick<ExpectedLock, 'url' | 'secret' | 'secretOf' | 'previousSecret' | 'otherUrls'>

/** The lock that the service needs for a login app with these settings. */
export type ExpectedLock = ReturnType<typeof expectedLock>

/**
 * Returns the expected lock of an entry point. Without a name: of the only entry point, or of the one named `default`.
 * @throws ConfigError that lists every wrong setting, or names the unknown entry point.
 */
export function expectedLock(env: CommandIo['env'], name: string | undefined) {
  const config = readEntryPointSettings(env)
  const entryPoint = chosenHashEntryPoint(config, name)
  /** Other addresses at which the app serves the same entry point. */
  const otherUrls = entryPoint.basePath === '' ? [`${config.publicUrl.origin}/e/default`] : []
  const { name: chosen, secret, previousSecret, secretFiles } = entryPoint
  const others = config.entryPoints
    .filter(isHashEntryPoint)
    .filter((other) => other !== entryPoint && other.secret === secret)
  /** Other entry points with the same secret. */
  const sharedWith = others.map((other) => other.name)
  const url = addressOf(config, entryPoint)
  /** Where the secret comes from, for people. */
  const secretOf = `the entry point ${chosen}`
  return { url, secret, secretOf, previousSecret, secretFiles, sharedWith, entryPoint: chosen, otherUrls }
}

/** Lists the differences between a lock and the expected one, without the secrets. */
export function differences(lock: Lock, expected: WantedLock): string[] {
  const list: string[] = []
  if (!leadsTo(lock.url, expected)) list.push(`the address is ${printable(lock.url)} instead of ${expected.url}`)
  const secret = compareSecret(lock, expected)
  if (secret === 'previous') list.push('the secret is the previous one')
  if (secret === 'other') list.push('the secret is different')
  return list
}

/** Compares the secret of a lock with the expected one. */
export function compareSecret(
  { secret }: Lock,
  expected: Pick<WantedLock, 'secret' | 'previousSecret'>,
): 'same' | 'previous' | 'other' | 'not shown' {
  if (secret === undefined) return 'not shown'
  if (secret === expected.secret) return 'same'
  return secret === expected.previousSecret ? 'previous' : 'other'
}

/** True if the address opens the entry point in a browser, also without the slash after the host. */
export function leadsTo(address: string, { url, otherUrls }: Pick<WantedLock, 'url' | 'otherUrls'>): boolean {
  const href = URL.canParse(address) ? new URL(address).href : null
  return [url, ...otherUrls].some((served) => new URL(served).href === href)
}

export interface WantedOptions {
  readonly entryPoint?: string
  readonly url?: string
  readonly secretFile?: string
}

/**
 * Returns the lock to set: of an entry point, with the given address or secret instead of its own. If both
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
