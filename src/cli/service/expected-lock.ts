import { timingSafeEqual } from 'node:crypto'
import { readConfig } from '../../config.ts'
import type { Lock, LockSettings } from '../../video-service/locks.ts'
import { addressOf, chosenEntryPoint } from '../settings/chosen-entry-point.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'

/** What the service must be told so that the login app of the settings lets viewers through. */
export interface ExpectedLock extends LockSettings {
  /** The name of the entry point. */
  readonly entryPoint: string
  /** Other addresses at which the app serves this entry point. */
  readonly otherUrls: readonly string[]
}

/**
 * @param name of the entry point; without one it is the only one, or the one that is called default.
 * @throws ConfigError for settings that are wrong, and for a name that they do not have.
 */
export function expectedLock(env: CommandIo['env'], name: string | undefined): ExpectedLock {
  const config = readConfig(env)
  const entryPoint = chosenEntryPoint(config, name)
  const otherUrls = entryPoint.basePath === '' ? [`${config.publicUrl.origin}/e/default`] : []
  return { url: addressOf(config, entryPoint), secret: entryPoint.secret, entryPoint: entryPoint.name, otherUrls }
}

/** In which way a lock is not as expected, each the end of a sentence; the secrets are compared, not shown. */
export function differences(lock: Lock, expected: ExpectedLock): string[] {
  const found: string[] = []
  if (!leadsTo(lock.url, expected)) found.push(`the address is ${printable(lock.url)} and should be ${expected.url}`)
  if (lock.secret !== undefined && !isSame(lock.secret, expected.secret)) found.push('the secret is another')
  return found
}

/** True if a browser that opens the address gets to the entry point, also without the slash after the host. */
export function leadsTo(address: string, { url, otherUrls }: ExpectedLock): boolean {
  const href = URL.canParse(address) ? new URL(address).href : null
  return [url, ...otherUrls].some((served) => new URL(served).href === href)
}

/** What a comparison leaves open where the service does not show the secret; empty where it does. */
export function whatIsUnseen({ secret }: Lock, { entryPoint }: ExpectedLock): string {
  if (secret !== undefined) return ''
  return ` The service does not show its secret: where it is not that of ${entryPoint}, players refuse every response until lock set puts it there.`
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
