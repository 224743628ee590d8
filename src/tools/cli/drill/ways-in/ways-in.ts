import { readConfig } from '../../../../config.ts'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../errors.ts'
import type { Environment } from '../../../../settings/fields.ts'
import { accessCodeWay } from '../../../features/access-codes/drill/access-code-way.ts'
import { mailWay } from '../../../features/mail-sign-in/drill/mail-way.ts'
import type { WayIn } from './way-in.ts'

/** The ways in besides the password. */
const WAYS_IN: readonly WayIn[] = [
  accessCodeWay, //
  mailWay,
]

export const PASSWORD = 'password'
export const WAY_NAMES: readonly string[] = [PASSWORD, ...WAYS_IN.map(({ name }) => name)]

/** Undefined for the password. */
export function wayNamed(name: string): WayIn | undefined {
  return WAYS_IN.find((way) => way.name === name)
}

/**
 * Reads the entry point of an address, with the settings that all entry points share.
 * @throws ConfigError if the settings have no entry point there.
 */
export function entryPointAt(
  { pathname }: URL,
  environment: Environment,
): { readonly entryPoint: EntryPoint; readonly features: Readonly<Record<string, unknown>> } {
  const { entryPoints, features } = readConfig(environment)
  const entryPoint = entryPoints.find(({ basePath }) => pathname === (basePath || '/'))
  if (entryPoint === undefined) throw new ConfigError(`The settings have no entry point at ${pathname}.`)
  return { entryPoint, features }
}
