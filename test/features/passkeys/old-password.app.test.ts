import { expect, test } from 'vitest'
import { ADA } from '../../login/start-login-app.ts'
import { createAuthenticator } from './authenticator.ts'
import {
  enrol,
  openFrame,
  openWindow,
  type PasskeyApp,
  post,
  pressContinue,
  readWindow,
  startPasskeys,
  typePassword,
} from './start-passkeys.ts'

const renew = (app: PasskeyApp) => app.store.setPassword(ADA.username, 'PASSWORDMARKER another heron')

test('a passkey whose creation began with the old password is not created after a new password', async () => {
  const app = await startPasskeys()
  const frame = await openFrame(app)
  const window = readWindow(app, await typePassword(app, frame))
  await renew(app)
  const answer = createAuthenticator().create(window, window.publicKey.user?.id ?? '')
  expect((await post(app, 'create', window, answer)).status).toBe(400)
  expect(await app.passkeys.list(ADA.username)).toEqual([])
  expect((await pressContinue(app, frame)).status).toBe(409)
  expect(app.lines).toContainEqual(
    expect.objectContaining({ outcome: 'passkey-not-added', reason: 'password-changed' }),
  )
})

test.each([
  ['a new password', renew],
  ['the removal of the passkey', (app: PasskeyApp, id: string) => app.passkeys.remove(ADA.username, id)],
])('a sign-in that waits in its window ends with %s', async (_what, end) => {
  const app = await startPasskeys()
  const { authenticator, frame: created } = await enrol(app)
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(200)
  await end(app, authenticator.id)
  expect((await pressContinue(app, created)).status).toBe(409)
  expect((await pressContinue(app, frame)).status).toBe(409)
})
