import { mailScreenPart } from '../../../src/features/mail-sign-in/screen-part.ts'

export const mailScreenWay = mailScreenPart({ read: () => null })
