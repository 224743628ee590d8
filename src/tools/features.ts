import { accessCodes } from './features/access-codes/tools.ts'
import { account } from './features/account/tools.ts'
import { accountEnd } from './features/account-end/tools.ts'
import { colleagues } from './features/colleagues/tools.ts'
import { doors } from './features/doors/tools.ts'
import { guests } from './features/guests/tools.ts'
import { mail } from './features/mail/tools.ts'
import { mailSignIn } from './features/mail-sign-in/tools.ts'
import { metrics } from './features/metrics/tools.ts'
import { passkeys } from './features/passkeys/tools.ts'
import { registration } from './features/registration/tools.ts'
import { screenLimit } from './features/screen-limit/tools.ts'
import { sso } from './features/sso/tools.ts'
import { token } from './features/token/tools.ts'
import type { ToolFeature } from './tool-feature.ts'

/** What the tools do for the features of the app. The order is that of the output. */
const FEATURES = {
  mail,
  guests,
  sso,
  passkeys,
  mailSignIn,
  registration,
  accessCodes,
  account,
  token,
  accountEnd,
  doors,
  screenLimit,
  metrics,
  colleagues,
}

export const features: readonly ToolFeature[] = Object.values(FEATURES)
