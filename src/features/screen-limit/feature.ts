import type { Feature } from '../../login/feature.ts'
import { type ScreenLimitSettings, screenLimitFields } from './fields.ts'

/** Limits the screens on which a viewer watches at the same time. */
export const screenLimit: Feature<ReturnType<typeof screenLimitFields.settings>, ScreenLimitSettings> = {
  ...screenLimitFields,
  outcomes: {
    'other-screen': { level: 'info', counted: 'onReturn', isSignIn: true },
    'took-over': { level: 'info', counted: 'onReturn' },
  },
  async open(services) {
    const { openScreenLimit } = await import('./open-screen-limit.ts')
    return await openScreenLimit(services)
  },
}
