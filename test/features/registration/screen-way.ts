import { registrationPart } from '../../../src/features/registration/screens/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'

export const registrationScreenWay: ScreenWay = {
  name: 'registration',
  partWith: (hasPasswordForm) => registrationPart(!hasPasswordForm, { read: () => null }),
}
