import { defineFeature } from '../../login/feature.ts'
import { screenLimitFields } from './fields.ts'

/** Limits the screens on which a viewer watches at the same time. */
export const screenLimit = defineFeature({
  ...screenLimitFields,
  outcomes: {
    'other-screen': { level: 'info', counted: 'onReturn', isSignIn: true },
    'took-over': { level: 'info', counted: 'onReturn' },
  },
  async open(app) {
    const { openScreenLimit } = await import('./open-screen-limit.ts')
    return await openScreenLimit(app)
  },
})
