import { expect, test } from 'vitest'
import { entryPointAt } from '../../../login/entry-point.ts'
import { withSso } from '../entry-point.ts'
import { finishWindow, openWindow, pressContinue, startSso } from '../start-sso.ts'
import { startWithoutUserInfo } from './without-user-info.ts'

/** The ID token lacks the address. */
const SHORT_TOKEN = { provider: { isIdTokenFull: false }, settings: { usernameClaim: 'email' } }

test('claims that are only at the user info endpoint are found', async () => {
  const app = await startSso(SHORT_TOKEN)
  const window = await openWindow(app)
  expect((await finishWindow(app, window)).status).toBe(200)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('user info is not asked for groups that no setting needs', async () => {
  const { app, asked } = await startWithoutUserInfo({ provider: { signsIn: 'bob' } })
  expect([(await finishWindow(app, await openWindow(app))).status, asked()]).toEqual([200, 0])
})

test.each([
  ['ALLOWED_GROUPS', { entryPoint: { allowedGroups: ['gold'] } }, 403],
  ['OIDC_GROUPS_CLAIM', { settings: { needsGroups: true } }, 303],
])(
  'user info is asked for the groups of %s, and if it fails, the groups are missing',
  async (_case, options, status) => {
    const { app, asked } = await startWithoutUserInfo({ ...options, provider: { signsIn: 'bob' } })
    const window = await openWindow(app)
    expect([(await finishWindow(app, window)).status, asked()]).toEqual([200, 1])
    const reason = 'groups: user info failed (OAUTH_RESPONSE_IS_NOT_CONFORM)'
    expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-signed-in', reason }))
    expect((await pressContinue(app, window)).status).toBe(status)
  },
)

test('entry points that accept the same sessions ask for the groups of each other', async () => {
  const { app, asked } = await startWithoutUserInfo({
    provider: { signsIn: 'bob' },
    entryPointsWith: (sso) => [
      withSso(sso, entryPointAt('open')),
      withSso({ ...sso, label: 'Other' }, { ...entryPointAt('gold'), allowedGroups: ['gold'] }),
    ],
  })
  expect((await finishWindow(app, await openWindow(app, '/e/open'))).status).toBe(200)
  expect(asked()).toBe(1)
})

test('without the user name in the ID token, user info that fails gives 503', async () => {
  const { app } = await startWithoutUserInfo(SHORT_TOKEN)
  expect((await finishWindow(app, await openWindow(app))).status).toBe(503)
})
