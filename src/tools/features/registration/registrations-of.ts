import { ConfigError } from '../../../errors.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { KnownEvents } from '../../cli/viewers/shown-viewer.ts'
import { rowOf } from './list-registrations.ts'
import { withAllRegistrations } from './open-registrations.ts'

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

async function find(env: CommandIo['env'], address: string): Promise<RegistrationRows> {
  try {
    return await withAllRegistrations({ env }, async (opened) => {
      const found = await Promise.all(opened.map(({ registrations }) => registrations.find(address)))
      return found.flatMap((registration) => (registration === null ? [] : rowOf(registration)))
    })
  } catch (error) {
    // A machine without the settings of the app manages viewers too.
    if (error instanceof ConfigError) return []
    throw error
  }
}
