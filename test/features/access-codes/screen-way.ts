import { codeScreenPart } from '../../../src/features/access-codes/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'

export const accessCodeScreenWay: ScreenWay = {
  name: 'access-codes',
  partWith: (hasPasswordForm) => codeScreenPart({ asksName: 'optional' }, hasPasswordForm),
}
