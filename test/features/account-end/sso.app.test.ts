import { expect, test } from 'vitest'
import { responseOf } from '../../login/response-of.ts'
import * as sso from '../sso/start-sso.ts'

const seconds = () => Math.floor(Date.now() / 1000)
const isoOf = (time: number) => new Date(time * 1000).toISOString()

/** Starts the app with a provider whose claim has the end. */
async function startWith(end: string) {
  const attributes = [{ name: 'accountEndsAt', claim: 'preferred_username' }]
  const app = await sso.startSso({ settings: { usernameClaim: 'email', attributes } })
  app.provider.accounts.set('ada', { ...app.provider.accounts.get('ada'), preferred_username: end })
  return app
}

test('a claim of the provider ends the account of an SSO viewer, and each response', async () => {
  const end = seconds() + 600
  const app = await startWith(isoOf(end))
  expect(responseOf((await sso.signIn(app)).location).expiresAtSeconds).toBe(end)
})

test.each([
  ['is over', isoOf(seconds() - 60), 'account-ended'],
  ['cannot be read', 'soon', 'account-end-unreadable'],
])('an SSO viewer with an end that %s is refused', async (_case, end, code) => {
  const app = await startWith(end)
  const { status, location, setCookies } = await sso.signIn(app)
  expect([status, location, setCookies]).toEqual([403, undefined, []])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code })
})
