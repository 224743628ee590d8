import { passkeyScreenPart } from '../../../src/features/passkeys/screen-part.ts'

export const passkeyScreenWay = passkeyScreenPart()
