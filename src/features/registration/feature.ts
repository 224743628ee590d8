import { defineFeature } from '../../login/feature.ts'
import { event } from '../../services/event/service.ts'
import { guests } from '../../services/guests/service.ts'
import { mailCodes } from '../../services/mail-code/service.ts'
import { capacityOfCodes } from '../../services/mail-code/settings.ts'
import { watchPage } from '../../services/watch-page/service.ts'
import { registrationGuests } from './guest-way.ts'
import { registrationFields } from './settings/settings.ts'

/** Registration of guests for an event, in the frame of the player. */
export const registration = defineFeature({
  ...registrationFields,
  needs: { event, guests, mailCodes, watchPage },
  isFixed: true,
  guests: registrationGuests,
  outcomes: {
    'registration-code': { level: 'info', counted: 'always' },
    'registration-wrong-code': { level: 'warn', counted: 'always' },
    registered: { level: 'info' },
    'registration-state': { level: 'info', counted: 'always' },
    'registration-shut': { level: 'info', counted: 'always' },
  },
  capacityOf: (config) => capacityOfCodes('registration', config),
  async open(app, entryPoints) {
    const { openRegistration } = await import('./open-registration.ts')
    return await openRegistration(app, entryPoints)
  },
})
