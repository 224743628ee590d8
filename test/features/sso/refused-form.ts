import type { RefusedForm } from '../../login/screens/screen.ts'
import { startSso } from './start-sso.ts'

export const refusedSsoCode: RefusedForm = async () => {
  const app = await startSso({ settings: { hasCode: true } })
  return [{ name: 'code of another device', html: (await app.post('/sso/code', { code: 'x' })).text }]
}
