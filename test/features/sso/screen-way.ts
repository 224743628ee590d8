import { ssoScreenPart } from '../../../src/features/sso/screen-part.ts'

export const ssoScreenWay = ssoScreenPart({ label: 'Contoso Identity Services', hasCode: true }, 'login.example')
