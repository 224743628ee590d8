import { type RegistrationSettings, registrationFields } from '../../../src/features/registration/settings/settings.ts'

/** Reads the settings of a registration, as an entry point does. @throws ZodError for a mistake. */
export function readSettings(given: object): RegistrationSettings {
  const settings = registrationFields.settings().registration.parse(JSON.stringify(given))
  if (settings === undefined) throw new Error('There are no settings')
  return settings
}
