import { readFeatureSettings } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { forgetEverywhere } from '../../../features/registration/book/registrations.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import { GUESTS_SETTINGS, withStoredGuests } from '../../../services/guests/settings.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { KnownEvents } from '../../cli/viewers/shown-viewer.ts'
import type { PersonRecords } from '../../cli/viewers/viewer-facts.ts'
import { rowOf } from './list-registrations.ts'
import { type OpenRegistrations, withAllRegistrations } from './open-registrations.ts'

export type RegistrationRows = readonly ReturnType<typeof rowOf>[]
/** Runs work that may fail. @returns null if it failed. */
type Part = <T>(work: Promise<T>) => Promise<T | null>

/** Returns the registrations of a mail address at all entry points, for `viewers show`. */
export async function registrationsOf(env: CommandIo['env'], username: string, part: Part): Promise<KnownEvents> {
  const address = parseMailAddress(username)
  const rows = address === null ? [] : await part(find(env, address))
  const lines = (rows ?? []).map(({ state, entryPoint, changedAt }) => {
    return ['Registration', `${state.replaceAll('-', ' ')} at ${entryPoint}, since ${changedAt}`] as const
  })
  return { fields: { registrations: rows }, lines, isKnown: lines.length > 0, issuer: null }
}

/** Deletes the registrations of a mail address, also at entry points that the settings no longer name. */
export const registrationRecords: PersonRecords = {
  field: 'registrations',
  async forget(env, name, sees) {
    const address = parseMailAddress(name)
    if (address === null) return 0
    const { settings } = readFeatureSettings({ PUBLIC_URL: 'http://localhost', ...env }, GUESTS_SETTINGS)
    const forgotten = await withStoredGuests(settings, 0, (records) => forgetEverywhere(records, address, sees))
    if (forgotten > 0) {
      await ofSettings(env, (opened) => Promise.all(opened.map(({ registrations }) => registrations.moveOn())))
    }
    return forgotten
  },
}

async function find(env: CommandIo['env'], address: string): Promise<RegistrationRows> {
  return await ofSettings(env, async (opened) => {
    const found = await Promise.all(opened.map(({ registrations }) => registrations.find(address)))
    return found.flatMap((registration) => (registration === null ? [] : rowOf(registration)))
  })
}

/** Returns nothing on a machine without the settings of the app, which manages viewers too. */
async function ofSettings<T>(env: CommandIo['env'], work: (opened: readonly OpenRegistrations[]) => Promise<T[]>) {
  try {
    return await withAllRegistrations({ env }, work)
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}
