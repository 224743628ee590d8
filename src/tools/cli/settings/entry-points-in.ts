import { readEntryPointSettings } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import type { Environment } from '../../../settings/fields.ts'

export type EntryPoints = readonly (EntryPoint & { readonly lifetimeSeconds?: number })[]

/** Reads the entry points as they are now. Null where the settings cannot be read: not every machine has the secrets. */
export function entryPointsIn(env: Environment): EntryPoints | null {
  try {
    return readEntryPointSettings(env).entryPoints
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
