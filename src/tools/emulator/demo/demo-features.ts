import { accessCodesDemo } from './access-codes/access-codes-demo.ts'
import type { MakeDemoFeature } from './demo-feature.ts'
import { doorsDemo } from './doors/doors-demo.ts'
import { guestsDemo } from './guests/guests-demo.ts'
import { mailDemo } from './mail/mail-demo.ts'
import { mailSignInDemo } from './mail-sign-in/mail-sign-in-demo.ts'
import { managerDemo } from './manager/manager-demo.ts'
import { passkeysDemo } from './passkeys/passkeys-demo.ts'
import { registrationDemo } from './registration/registration-demo.ts'
import { ssoDemo } from './sso/sso-demo.ts'
import { tokenDemo } from './token/token-demo.ts'
import { watchPageDemo } from './watch-page/watch-page-demo.ts'

/** The features in the demo, besides passwords and the hash. */
export const DEMO_FEATURES: readonly MakeDemoFeature[] = [
  passkeysDemo,
  ssoDemo,
  tokenDemo,
  doorsDemo,
  accessCodesDemo,
  watchPageDemo,
  guestsDemo,
  mailSignInDemo,
  registrationDemo,
  mailDemo,
  managerDemo,
]
