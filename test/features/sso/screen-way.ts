import { ssoScreenPart } from '../../../src/features/sso/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'

export const ssoScreenWay: ScreenWay = {
  name: 'sso',
  partWith: (hasPasswordForm) =>
    ssoScreenPart({ label: 'Contoso Identity Services', isOnly: !hasPasswordForm, hasCode: true }, 'login.example'),
}
