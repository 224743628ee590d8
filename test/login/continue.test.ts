import { expect, test } from 'vitest'
import { ENTRY_POINT } from './entry-point.ts'
import { expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { signIn } from './signed-in.ts'
import { ADA, START_SECONDS, startLoginApp } from './start-login-app.ts'

test('a viewer who chooses to continue is sent to the player, with the fields of the player', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  const fields = { hashConsumer: 'https://chat.example/customer/1', ustreamContentId: '7' }
  const answer = await app.post('/continue', fields, { Cookie })
  expect(responseOf(answer.location)).toEqual({
    address: fields.hashConsumer,
    parameters: [['user', ADA.username]],
    expiresAtSeconds: START_SECONDS + ENTRY_POINT.lifetimeSeconds,
  })
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'returned', viewer: ADA.username })
})

test.each([
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['another origin', { Origin: 'https://evil.example' }],
])('a post from %s does not continue', async (_case, headers) => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  const answer = await app.post('/continue', {}, { Cookie, ...headers })
  expectRefused(answer, 403)
  expect(answer.text).not.toContain(ADA.username)
})

test('a viewer may continue only if the policy still allows it', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, allowedGroups: ['gold'] }] })
  app.users.add(ADA.username, ADA.password, { groups: ['gold'] })
  const Cookie = await signIn(app)
  app.users.add(ADA.username, ADA.password)
  expectRefused(await app.post('/continue', {}, { Cookie }), 403)
})

test.each([
  ['a body that is not a form', '{}', { 'Content-Type': 'application/json' }, 415],
  ['an address that is not allowed', 'hashConsumer=https://evil.example/', {}, 400],
])('%s is refused', async (_case, body, headers, status) => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  expectRefused(await app.post('/continue', body, { Cookie, ...headers }), status)
})
