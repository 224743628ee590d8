import { mailScreenPart } from '../../../src/features/mail-sign-in/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'

export const mailScreenWay: ScreenWay = {
  name: 'mail-sign-in',
  partWith: (hasPasswordForm) => mailScreenPart(!hasPasswordForm, { read: () => null }),
}
