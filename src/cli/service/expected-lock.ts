import { timingSafeEqual } from 'node:crypto'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import type { Lock, LockSettings } from '../../video-service/locks.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'

/** What the service must be told so that the login app of the settings lets viewers through. */
export interface ExpectedLock extends LockSettings {
  /** The name of the entry point. */
  readonly entryPoint: string
}

/**
 * @param name of the entry point; without one it is the only one, or the one that is called default.
 * @throws ConfigError for settings that are wrong, and for a name that they do not have.
 */
export function expectedLock(env: CommandIo['env'], name: string | undefined): ExpectedLock {
  const config = readConfig(env)
  const entryPoint = chosenEntryPoint(config, name)
  return { url: addressOf(config, entryPoint), secret: entryPoint.secret, entryPoint: entryPoint.name }
}

/** Where the service sends viewers. */
export function addressOf({ publicUrl }: Pick<Config, 'publicUrl'>, { basePath }: ChosenEntryPoint): string {
  return publicUrl.origin + (basePath || '/')
}

export type ChosenEntryPoint = Config['entryPoints'][number]

/** As expectedLock() chooses. */
export function chosenEntryPoint(
  { entryPoints }: Pick<Config, 'entryPoints'>,
  name: string | undefined,
): ChosenEntryPoint {
  const found =
    entryPoints.length === 1 && name === undefined
      ? entryPoints[0]
      : entryPoints.find((entryPoint) => entryPoint.name === (name ?? 'default'))
  if (found === undefined) {
    const names = entryPoints.map((entryPoint) => entryPoint.name).join(', ')
    const fault = name === undefined ? 'There are several entry points' : 'There is no entry point of this name'
    throw new ConfigError(`${fault}: choose one with --entry-point, of ${names}.`)
  }
  return found
}

/** In which way a lock is not as expected, each the end of a sentence; the secrets are compared, not shown. */
export function differences(lock: Lock, expected: ExpectedLock): string[] {
  const found: string[] = []
  if (!isSameAddress(lock.url, expected.url))
    found.push(`the address is ${printable(lock.url)} and should be ${expected.url}`)
  if (lock.secret !== undefined && !isSame(lock.secret, expected.secret)) found.push('the secret is another')
  return found
}

/** Whether a browser that is sent to the one gets to the other, as without the slash after the host. */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || (URL.canParse(one) && new URL(one).href === new URL(other).href)
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
