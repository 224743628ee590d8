import { expect, test } from 'vitest'
import { createAuthenticator } from '../../features/passkeys/authenticator.ts'
import { withPasskeys } from '../../features/passkeys/entry-point.ts'
import { enrol, openFrame, openWindow, post, reasonOf, startPasskeys } from '../../features/passkeys/start-passkeys.ts'
import { withSso } from '../../features/sso/entry-point.ts'
import { ssoSettings } from '../../features/sso/start-sso.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'

const WAIT = 'w'.repeat(43)
const HEADERS = { 'Sec-Fetch-Site': 'same-origin' }
const SSO = ssoSettings('http://127.0.0.1:9')
const entryPoints = [
  withSso(SSO, withPasskeys(ENTRY_POINT)),
  withSso(SSO, entryPointAt('no-passkeys')),
  withPasskeys(entryPointAt('no-sso')),
]

test.each([
  ['/e/no-passkeys', { way: 'passkey' }, 'sso-not-yet'],
  ['/e/no-sso', {}, 'passkey-not-yet'],
])(
  'at %s, a screen with %j from before a restart becomes the screen of the way that is left',
  async (path, way, outcome) => {
    const app = await startPasskeys({ entryPoints })
    const answer = await app.post(`${path}/sso/continue`, { wait: WAIT, ...way }, HEADERS)
    expect([answer.status, reasonOf(answer), answer.text.includes(WAIT)]).toEqual([409, 'sso-not-yet', true])
    expect(app.lines.at(-1)?.outcome).toBe(outcome)
  },
)

test('with a way that is off, a post from another site is refused with the screen', async () => {
  const app = await startPasskeys({ entryPoints })
  const form = { wait: WAIT, way: 'passkey' }
  const answer = await app.post('/e/no-passkeys/sso/continue', form, { 'Sec-Fetch-Site': 'cross-site' })
  expect([answer.status, reasonOf(answer)]).toEqual([403, 'not-from-own-page'])
})

test.each([
  [{}, 200, 'ready'],
  [{ way: 'passkey' }, 200, 'waiting'],
  [{ way: 'x' }, 400, 'refused'],
])('while the provider is away, the script of a frame with %j learns %i, %s', async (way, code, status) => {
  const app = await startPasskeys({ entryPoints })
  const answer = await app.post('/sso/status', { wait: WAIT, ...way }, HEADERS)
  expect([answer.status, JSON.parse(answer.text)]).toEqual([code, { status }])
})

test('the screen of one way collects the result of another way', async () => {
  const app = await startPasskeys({ entryPoints })
  const { authenticator } = await enrol(app, createAuthenticator())
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  await post(app, 'finish', window, authenticator.signIn(window))
  expect((await app.post('/sso/continue', { wait: frame.wait }, HEADERS)).status).toBe(303)
})

test('without passkeys, their address does not ask the provider for another account', async () => {
  const app = await startPasskeys({ entryPoints })
  expect((await app.get('/e/no-passkeys?prompt=passkey')).text).not.toContain('name="account"')
  expect((await app.get('/e/no-passkeys?prompt=other-account')).text).toContain('name="account"')
})
