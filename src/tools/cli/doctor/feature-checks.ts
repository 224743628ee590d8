import { codesCheck } from './access-codes/codes-check.ts'
import { doorsCheck } from './doors/doors-check.ts'
import type { FeatureCheck } from './feature-check.ts'
import { mailCheck } from './mail/mail-check.ts'
import { registrationCheck } from './registration/registration-check.ts'
import { watchHere } from './screen-limit/watch-here.ts'
import { ssoCheck } from './sso/sso-check.ts'
import { tokenCheck } from './token/token-check.ts'

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
