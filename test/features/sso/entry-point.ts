import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { SsoSettings } from '../../../src/features/sso/settings/sso-settings.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'

/** An entry point with single sign-on. */
export function withSso(sso: SsoSettings, entryPoint: EntryPoint = ENTRY_POINT): EntryPoint {
  return { ...entryPoint, hasPasswordForm: !sso.isOnly, features: { ...entryPoint.features, sso } }
}
