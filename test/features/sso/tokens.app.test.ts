import { expect, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import type { SsoSettings } from '../../../src/features/sso/settings/sso-settings.ts'
import { formOf } from '../../login/start-login-app.ts'
import { TOKEN_ENTRY_POINT } from '../token/entry-point.ts'
import { createTestIssuer, REF, tokenIn, tokensFrom } from '../token/start-token-app.ts'
import { withSso } from './entry-point.ts'
import { cookiesOf, finishWindow, openWindow, pressContinue, startSso } from './start-sso.ts'

const FIELDS = { ref: REF }
const nowSeconds = () => Date.now() / 1000

async function startWithTokens() {
  const issuer = createTestIssuer(nowSeconds)
  const entryPointsWith = (sso: SsoSettings) => [withSso(sso, TOKEN_ENTRY_POINT)]
  return { issuer, app: await startSso({ entryPointsWith, others: tokensFrom(() => issuer) }) }
}

test('an SSO viewer gets a token in the frame, and another one at a reload', async () => {
  const { app } = await startWithTokens()
  const window = await openWindow(app, '', `?${formOf(FIELDS)}`)
  await finishWindow(app, window)
  const answer = await pressContinue(app, window, '', FIELDS)
  expect(await tokenIn(answer.location, nowSeconds())).toEqual({ address: REF, subject: 'ada@example.com' })
  const again = await app.get(`/?${formOf(FIELDS)}`, { Cookie: cookiesOf(answer) })
  expect((await tokenIn(again.location, nowSeconds())).subject).toBe('ada@example.com')
})

test('a user name with "|", as the subject of Auth0, gets a token', async () => {
  const { app } = await startWithTokens()
  app.provider.accounts.set('ada', { preferred_username: 'auth0|123' })
  const window = await openWindow(app, '', `?${formOf(FIELDS)}`)
  await finishWindow(app, window)
  const { location } = await pressContinue(app, window, '', FIELDS)
  expect((await tokenIn(location, nowSeconds())).subject).toBe('auth0|123')
})

test.each([
  ['without a key of the service', new UpstreamError('service-keys', 'no key'), 'failed'],
  ['with too many tokens', new OverloadedError('full', 2), 'overloaded'],
])('%s, the result of the window waits for the next try', async (_case, fault, outcome) => {
  const { app, issuer } = await startWithTokens()
  const window = await openWindow(app, '', `?${formOf(FIELDS)}`)
  await finishWindow(app, window)
  issuer.fault = fault
  expect((await pressContinue(app, window, '', FIELDS)).status).toBe(503)
  expect(app.lines.at(-1)).toMatchObject({ outcome, status: 503 })
  issuer.fault = null
  expect((await pressContinue(app, window, '', FIELDS)).status).toBe(303)
})
