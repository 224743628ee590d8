import { accessCodes } from './features/access-codes/feature.ts'
import { account } from './features/account/feature.ts'
import { accountEnd } from './features/account-end/feature.ts'
import { askReturning } from './features/ask-returning/feature.ts'
import { background } from './features/background/feature.ts'
import { defaultLog } from './features/default-log/feature.ts'
import { doors } from './features/doors/feature.ts'
import { entryPointsFile } from './features/entry-points-file/feature.ts'
import { firstWay } from './features/first-way/feature.ts'
import { mailSignIn } from './features/mail-sign-in/feature.ts'
import { metrics } from './features/metrics/feature.ts'
import { passkeys } from './features/passkeys/feature.ts'
import { passwordForm } from './features/password-form/feature.ts'
import { registration } from './features/registration/feature.ts'
import { screenLimit } from './features/screen-limit/feature.ts'
import { secretFiles } from './features/secret-files/feature.ts'
import { sharedClock } from './features/shared-clock/feature.ts'
import { sso } from './features/sso/feature.ts'
import { token } from './features/token/feature.ts'
import type { Feature } from './login/feature.ts'
import { type Service, servicesOf } from './login/service.ts'

/** The features of this app. Ways to sign in are on the screen in this order. Gates decide in this order. */
const FEATURES = {
  passwordForm,
  firstWay,
  sso,
  passkeys,
  mailSignIn,
  registration,
  account,
  token,
  accountEnd,
  doors,
  askReturning,
  screenLimit,
  accessCodes,
  entryPointsFile,
  secretFiles,
  metrics,
  background,
  defaultLog,
  sharedClock,
}

export const features: readonly Feature[] = Object.values(FEATURES)

/** All that has settings: the features, and the services that they need. */
export const settingOwners: readonly (Feature | Service)[] = [...servicesOf(features), ...features]
