import { newToken } from '../../../src/features/account/links/tokens.ts'
import type { RefusedForm } from '../../login/screens/screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startAccountApp } from './start-account-app.ts'

export const refusedAccountForms: RefusedForm = async () => {
  const app = await startAccountApp()
  const { token, digest } = newToken()
  const link = { purpose: 'reset', digest, expiresAtSeconds: app.clock.seconds + 600 } as const
  await app.store.passwordChanges.createLink(ADA.username, link)
  const weak = { newPassword: 'x', repeatPassword: 'x' }
  const forms = {
    'forgotten password': await app.post('/account/forgot', { username: '' }),
    'new password': await app.post('/account/new-password', { token, ...weak }),
    'change of a password': await app.post('/account/change-password', { ...ADA, password: 'wrong', ...weak }),
  }
  return Object.entries(forms).map(([name, { text }]) => ({ name, html: text }))
}
