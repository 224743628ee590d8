import { codeScreenPart } from '../../../src/features/access-codes/screen-part.ts'
import { KEY } from './codes-app.ts'

export const accessCodeScreenWay = codeScreenPart({ key: KEY, asksName: 'optional', placeSeconds: 0 })
