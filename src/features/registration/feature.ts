import type { Feature } from '../../login/feature.ts'
import { type RegistrationSettings, registrationFields } from './settings/settings.ts'

/** Registration of guests for an event, in the frame of the player. */
export const registration: Feature<ReturnType<typeof registrationFields.settings>, RegistrationSettings> = {
  ...registrationFields,
  outcomes: {
    'registration-code': { level: 'info', counted: 'always' },
    'registration-wrong-code': { level: 'warn', counted: 'always' },
    registered: { level: 'info' },
    'registration-state': { level: 'info', counted: 'always' },
    'registration-shut': { level: 'info', counted: 'always' },
  },
  async open(services, entryPoints) {
    const { openRegistration } = await import('./open-registration.ts')
    return await openRegistration(services, entryPoints)
  },
}
