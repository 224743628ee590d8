import { readConfig } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { type CodeStore, createCodeStore } from '../../../features/access-codes/codes/code-store.ts'
import { type AccessCodeSettings, accessCodesOf } from '../../../features/access-codes/fields.ts'
import { withGuestStore } from '../../../services/guests/record-stores.ts'
import type { GuestsSettings } from '../../../services/guests/settings.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'

/** The codes of one entry point. */
export interface OpenCodes {
  readonly entryPoint: EntryPoint
  readonly settings: AccessCodeSettings
  readonly codes: CodeStore
}

/**
 * Opens the codes for the work of one command. The app may be running.
 * @param name of the entry point. Undefined for the only one, or `default`.
 * @throws ConfigError if access codes are off there, or the store cannot be used.
 */
export async function withCodes<T>(
  { env }: Pick<CommandIo, 'env'>,
  name: string | undefined,
  work: (open: OpenCodes) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  const withFeature = config.entryPoints.filter((one) => accessCodesOf(one) !== null)
  const entryPoint = entryPointNamed({ entryPoints: name === undefined ? withFeature : config.entryPoints }, name)
  const settings = accessCodesOf(entryPoint)
  if (settings === null)
    throw new ConfigError(`Entry point ${entryPoint.name} has no access codes. Set ACCESS_CODES=on.`)
  const { store } = config.features.guests as GuestsSettings
  return await withGuestStore(store, (records) => work({ entryPoint, settings, codes: createCodeStore(records) }))
}

/** Returns UNIX time in whole seconds. */
export const now = () => Math.floor(Date.now() / 1000)
