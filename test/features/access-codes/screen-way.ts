import { codeScreenPart } from '../../../src/features/access-codes/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'
import { KEY } from './codes-app.ts'

export const accessCodeScreenWay: ScreenWay = {
  name: 'access-codes',
  partWith: (hasPasswordForm) => codeScreenPart({ key: KEY, asksName: 'optional', placeSeconds: 0 }, hasPasswordForm),
}
