import { readConfig } from '../../../../config.ts'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../errors.ts'
import type { Environment } from '../../../../settings/fields.ts'
import type { WayIn } from './way-in.ts'

export const PASSWORD = 'password'

/** Undefined for the password. */
export function wayNamed(ways: readonly WayIn[], name: string): WayIn | undefined {
  return ways.find((way) => way.name === name)
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
