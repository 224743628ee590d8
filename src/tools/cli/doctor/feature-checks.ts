import { codesCheck } from '../../features/access-codes/doctor/codes-check.ts'
import { doorsCheck } from '../../features/doors/doctor/doors-check.ts'
import { mailCheck } from '../../features/mail/doctor/mail-check.ts'
import { registrationCheck } from '../../features/registration/doctor/registration-check.ts'
import { watchHere } from '../../features/screen-limit/doctor/watch-here.ts'
import { ssoCheck } from '../../features/sso/doctor/sso-check.ts'
import { tokenCheck } from '../../features/token/doctor/token-check.ts'
import type { FeatureCheck } from './feature-check.ts'

/** The checks of features, in the order of their findings. */
export const FEATURE_CHECKS: readonly FeatureCheck[] = [
  ssoCheck,
  mailCheck,
  tokenCheck,
  doorsCheck,
  registrationCheck,
  watchHere,
  codesCheck,
]
