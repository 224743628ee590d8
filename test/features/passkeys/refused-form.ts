import type { RefusedForm } from '../../login/screens/screen.ts'
import { openFrame, startPasskeys, typePassword } from './start-passkeys.ts'

export const refusedPasskeyPassword: RefusedForm = async () => {
  const app = await startPasskeys()
  const { text } = await typePassword(app, await openFrame(app), { username: 'ada', password: 'x' })
  return [{ name: 'password before a passkey', html: text.replace(' id="steps" hidden', '') }]
}
