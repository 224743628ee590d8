import type { Feature } from '../../login/feature.ts'
import { type AccessCodeSettings, accessCodeFields } from './fields.ts'
import { CODE_PROMPTS } from './screen-part.ts'

/** Access codes and tickets: a way in for people who are in no user store. */
export const accessCodes: Feature<ReturnType<typeof accessCodeFields.settings>, AccessCodeSettings> = {
  ...accessCodeFields,
  prompts: CODE_PROMPTS,
  outcomes: {
    'wrong-code': { level: 'warn' },
    'ended-code': { level: 'warn', counted: 'always' },
    'code-full': { level: 'warn', counted: 'always' },
    'code-elsewhere': { level: 'info', counted: 'onReturn' },
  },
  async open(services) {
    const { openAccessCodes } = await import('./open-access-codes.ts')
    return await openAccessCodes(services)
  },
}
