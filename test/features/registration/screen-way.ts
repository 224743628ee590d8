import { registrationPart } from '../../../src/features/registration/screens/screen-part.ts'

export const registrationScreenWay = registrationPart({ read: () => null })
