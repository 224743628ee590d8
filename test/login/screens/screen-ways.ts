import type { ScreenPart } from '../../../src/login/screens/screen-part.ts'
import { accessCodeScreenWay } from '../../features/access-codes/screen-way.ts'
import { mailScreenWay } from '../../features/mail-sign-in/screen-way.ts'
import { passkeyScreenWay } from '../../features/passkeys/screen-way.ts'
import { registrationScreenWay } from '../../features/registration/screen-way.ts'
import { ssoScreenWay } from '../../features/sso/screen-way.ts'

/** A fork that deletes a feature deletes its line. The order is that of the app. */
const WAYS = {
  ssoScreenWay,
  passkeyScreenWay,
  mailScreenWay,
  registrationScreenWay,
  accessCodeScreenWay,
}

/** The ways to sign in besides the password. */
export const SCREEN_WAYS: readonly ScreenPart[] = Object.values(WAYS)
