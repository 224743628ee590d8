import { defineFeature } from '../../login/feature.ts'
import { event } from '../../services/event/service.ts'
import { guests } from '../../services/guests/service.ts'
import { watchPage } from '../../services/watch-page/service.ts'
import { accessCodeFields } from './fields.ts'
import { accessCodeGuests } from './guest-way.ts'

/** Access codes and tickets: a way in for people who are in no user store. */
export const accessCodes = defineFeature({
  ...accessCodeFields,
  needs: { event, guests, watchPage },
  guests: accessCodeGuests,
  outcomes: {
    'wrong-code': { level: 'warn' },
    'ended-code': { level: 'warn', counted: 'always' },
    'code-full': { level: 'warn', counted: 'always' },
    'code-elsewhere': { level: 'info', counted: 'onReturn' },
  },
  capacityOf: () => ({ wayIn: 'access code', viewers: null }),
  async open(app) {
    const { openAccessCodes } = await import('./open-access-codes.ts')
    return await openAccessCodes(app)
  },
})
