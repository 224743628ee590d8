import type { ScreenLimitSettings } from '../../../../features/screen-limit/fields.ts'
import type { DrillPart } from '../../../cli/drill/drill-part.ts'

/** The limit of `SCREENS_PER_VIEWER` in a drill. */
export const screenLimitDrill: DrillPart = {
  refusals: {
    'other-screen':
      'SCREENS=ask asks a viewer who already watches, as in a rehearsal before. Wait until the responses expire, or rehearse with SCREENS=newest',
  },
  screenLimitAt({ features }) {
    const { most } = (features['screen-limit'] as ScreenLimitSettings | undefined) ?? {}
    return most === undefined ? null : { most, reason: 'other-screen' }
  },
}
