import { accessCodeWay } from './features/access-codes/way-in.ts'
import { accountWay } from './features/account/way-in.ts'
import { doorsWay } from './features/doors/way-in.ts'
import { mailWay } from './features/mail-sign-in/way-in.ts'
import { passkeyWay } from './features/passkeys/way-in.ts'
import { registrationWay } from './features/registration/way-in.ts'
import { ssoWay } from './features/sso/way-in.ts'
import { tokenWay } from './features/token/way-in.ts'
import { PASSWORD_WAYS } from './users/password-ways.ts'
import type { WayIn } from './way-in.ts'

/** All ways in of this checkout. */
export const WAYS_IN: readonly WayIn[] = [
  ...PASSWORD_WAYS,
  accessCodeWay,
  accountWay,
  doorsWay,
  mailWay,
  passkeyWay,
  registrationWay,
  ssoWay,
  tokenWay,
]
