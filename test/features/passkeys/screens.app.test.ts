import { expect, test } from 'vitest'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'
import { withPasskeys } from './entry-point.ts'
import { fieldOf, openFrame, ownHeaders, pressContinue, reasonOf, startPasskeys } from './start-passkeys.ts'

test('the screen for passkeys has a secret of its own, and keeps it while the viewer is not signed in', async () => {
  const app = await startPasskeys()
  const one = await openFrame(app)
  const other = await openFrame(app)
  expect(one.wait).not.toBe(other.wait)
  const early = await pressContinue(app, one)
  expect([early.status, reasonOf(early), fieldOf(early, 'wait')]).toEqual([409, 'sso-not-yet', one.wait])
  expect(early.text).toContain('action="/passkey/start"')
})

test('without passkeys, their addresses do not exist, and no screen offers them', async () => {
  const off = entryPointAt('off')
  const app = await startPasskeys({ entryPoints: [off, withPasskeys()] })
  expect((await app.post('/e/off/passkey/start', '', ownHeaders(app))).status).toBe(404)
  const screens = [await app.get('/e/off'), await app.get('/e/off?prompt=passkey')]
  expect(screens.filter(({ text }) => text.includes('passkey'))).toEqual([])
})

test('a returning viewer can ask for a passkey, to sign in with another account', async () => {
  const app = await startPasskeys()
  const signedIn = await app.post('/sign-in', ADA)
  const Cookie = signedIn.setCookies.map((line) => line.split(';')[0]).join('; ')
  const screen = await app.get('/?prompt=passkey', { Cookie })
  expect([screen.status, screen.text.includes('action="/passkey/start"')]).toEqual([200, true])
})

test('without passkeys, their address shows the sign-in screen to a returning viewer too', async () => {
  const app = await startPasskeys({ entryPoints: [ENTRY_POINT] })
  const signedIn = await app.post('/sign-in', ADA)
  const Cookie = signedIn.setCookies.map((line) => line.split(';')[0]).join('; ')
  expect((await app.get('/', { Cookie })).status).toBe(303)
  const screen = await app.get('/?prompt=passkey', { Cookie })
  expect([screen.status, screen.text.includes('name="password"')]).toEqual([200, true])
})
