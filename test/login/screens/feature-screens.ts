import { codeScreens } from '../../features/access-codes/screens.ts'
import { askingScreens } from '../../features/ask-returning/screens.ts'
import { closedScreens, messageScreens, overScreens, waitingScreens } from '../../features/doors/screens.ts'
import { mailScreens } from '../../features/mail-sign-in/screens.ts'
import { closedRegistration, registrationScreens } from '../../features/registration/screens.ts'
import { otherScreens } from '../../features/screen-limit/screens.ts'
import { tokenScreens } from '../../features/token/screens.ts'
import type { FeatureScreens } from './screen.ts'

/** A fork that deletes a feature deletes its line. */
const SCREENS = {
  tokenScreens,
  askingScreens,
  otherScreens,
  mailScreens,
  closedScreens,
  overScreens,
  waitingScreens,
  messageScreens,
  codeScreens,
  registrationScreens,
  closedRegistration,
}

export const FEATURE_SCREENS: readonly FeatureScreens[] = Object.values(SCREENS)
