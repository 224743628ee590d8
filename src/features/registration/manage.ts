import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { GuestRecords } from '../../services/guests/guest-records.ts'
import { createRegistrations, type Registrations } from './book/registrations.ts'
import { mailSteps } from './mails.ts'
import { registrationOf } from './settings/settings.ts'

export interface ManageDeps {
  readonly records: GuestRecords
  /** SESSION_SECRET and the previous one: they seal the mails that wait. */
  readonly secrets: readonly string[]
  readonly nowSeconds: () => number
  /** The most mails in a minute. Default: 60. */
  readonly mailsPerMinute?: number | undefined
}

/**
 * Returns the registrations of an entry point, for a command or another page, while the app runs. The app sends the mails
 * of its changes. Null for an entry point without a registration.
 */
export function manageRegistrations(
  entryPoint: EntryPoint,
  { records, secrets, nowSeconds, mailsPerMinute = 60 }: ManageDeps,
): Registrations | null {
  const settings = registrationOf(entryPoint)
  if (settings === undefined) return null
  const { name } = entryPoint
  const mailOf = mailSteps(secrets, name, nowSeconds, 60_000 / mailsPerMinute)
  return createRegistrations({ records, entryPoint: name, settings, nowSeconds, mailOf })
}
