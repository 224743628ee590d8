import { passkeyScreenPart } from '../../../src/features/passkeys/screen-part.ts'
import type { ScreenWay } from '../../login/screens/screen.ts'

export const passkeyScreenWay: ScreenWay = { name: 'passkeys', partWith: () => passkeyScreenPart() }
