import type { ScreenLimitSettings } from '../../../../features/screen-limit/fields.ts'
import type { ScreenRule } from '../../doors/drill/evening/screen-rule.ts'

/** The limit of `SCREENS_PER_VIEWER`. */
export const screenLimitRule: ScreenRule = {
  mostAt: ({ features }) => (features['screen-limit'] as ScreenLimitSettings | undefined)?.most ?? null,
  reason: 'other-screen',
}
