import { expect, onTestFinished, test } from 'vitest'
import { createMailQueue } from '../../../src/services/mail/mail-queue.ts'
import { openMailServer } from '../../../src/services/mail/smtp.ts'
import { MOST_PASSKEYS } from '../../../src/users/passkeys/passkey-store.ts'
import { PLAYER } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'

import { mailSettings, startMailServer } from '../../services/mail/mail-server.ts'
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

const stepsOf = (app: PasskeyApp) =>
  app.lines.flatMap(({ event, outcome, reason }) => (event === 'account' ? [reason ?? outcome] : []))

test('a viewer creates a passkey with the password, and is signed in with it', async () => {
  const app = await startPasskeys()
  const { authenticator, frame, created } = await enrol(app)
  expect(created.status).toBe(200)
  expect(await app.passkeys.list(ADA.username)).toEqual([
    expect.objectContaining({
      id: authenticator.id,
      counter: 0,
      deviceType: 'multiDevice',
      isBackedUp: true,
      transports: ['hybrid', 'internal'],
      lastUsedAtSeconds: null,
    }),
  ])
  const collected = await pressContinue(app, frame)
  expect([collected.status, collected.location?.startsWith(PLAYER)]).toEqual([303, true])
  expect(stepsOf(app)).toEqual(['passkey-added'])
})

test('the browser is asked for a passkey that needs no user name, and not for one that exists', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const { publicKey } = readWindow(app, await typePassword(app, await openFrame(app)))
  expect(publicKey).toMatchObject({
    rp: { id: 'login.example', name: 'login.example' },
    user: { name: ADA.username, id: await app.passkeys.userHandleOf(ADA.username) },
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: [{ type: 'public-key', id: authenticator.id, transports: ['hybrid', 'internal'] }],
    attestation: 'none',
  })
})

test('a new passkey without the fingerprint, face or PIN is refused', async () => {
  const app = await startPasskeys()
  const frame = await openFrame(app)
  const window = readWindow(app, await typePassword(app, frame))
  const answer = createAuthenticator().create(window, window.publicKey.user?.id ?? '', { userVerified: false })
  expect((await post(app, 'create', window, answer)).status).toBe(401)
  expect([stepsOf(app), await app.passkeys.list(ADA.username)]).toEqual([['user-not-verified'], []])
  expect((await pressContinue(app, frame)).status).toBe(409)
})

test('a passkey cannot be created without the password', async () => {
  const app = await startPasskeys()
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  const answer = createAuthenticator().create(window, (await app.passkeys.userHandleOf(ADA.username)) ?? '')
  expect((await post(app, 'create', window, answer)).status).toBe(400)
  expect([stepsOf(app), await app.passkeys.list(ADA.username)]).toEqual([['no-password'], []])
})

test('a sign-in with the challenge of a creation is refused', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const window = readWindow(app, await typePassword(app, frame))
  expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(401)
  expect((await pressContinue(app, frame)).status).toBe(409)
})

test('the password is checked as on the sign-in screen: same refusals, same limits', async () => {
  const app = await startPasskeys()
  const frame = await openFrame(app)
  const statusOf = async (fields: object) => (await typePassword(app, frame, fields)).status
  expect(await statusOf({ ...ADA, password: '' })).toBe(400)
  const wrong = { ...ADA, password: 'wrong' }
  for (let tries = 0; tries < 6; tries += 1) await app.post('/sign-in', wrong)
  expect(await statusOf(ADA)).toBe(429)
  app.clock.seconds += 3600
  await app.store.setDisabled(ADA.username, true)
  expect(app.lines.filter(({ outcome }) => outcome === 'wrong-credentials')).toHaveLength(5)
})

test.each([
  ['a wrong password', { password: 'wrong' }, false, 401, 'wrong-credentials'],
  ['a disabled viewer', {}, true, 403, 'disabled'],
])('%s creates no passkey', async (_case, changes, isDisabled, status, outcome) => {
  const app = await startPasskeys()
  await app.store.setDisabled(ADA.username, isDisabled)
  const refused = await typePassword(app, await openFrame(app), { ...ADA, ...changes })
  expect([refused.status, refused.text.includes('data-kind="create"')]).toEqual([status, false])
  expect(refused.text.match(/aria-describedby="alert" aria-invalid="true"/g) ?? []).toHaveLength(isDisabled ? 0 : 2)
  expect(app.lines.some((line) => line.outcome === outcome)).toBe(true)
})

test('a viewer who is disabled while creating a passkey gets none', async () => {
  const app = await startPasskeys()
  const window = readWindow(app, await typePassword(app, await openFrame(app)))
  const answer = createAuthenticator().create(window, window.publicKey.user?.id ?? '')
  await app.store.setDisabled(ADA.username, true)
  expect((await post(app, 'create', window, answer)).status).toBe(403)
  expect(await app.passkeys.list(ADA.username)).toEqual([])
})

test('the same passkey is stored once, and an account has a limited number', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  expect((await enrol(app, authenticator)).created.status).toBe(409)
  const [passkey] = await app.passkeys.list(ADA.username)
  if (passkey === undefined) expect.unreachable()
  for (let more = 1; more < MOST_PASSKEYS; more += 1) {
    await app.passkeys.add(ADA.username, { ...passkey, id: `passkey-${more}` })
  }
  expect((await typePassword(app, await openFrame(app))).status).toBe(403)
  expect(stepsOf(app)).toEqual(['passkey-added', 'known', 'too-many'])
})

test('the viewer gets a mail about the new passkey, which links to the reset of the password', async () => {
  const server = await startMailServer()
  const mailQueue = createMailQueue({
    server: await openMailServer(mailSettings(server.port)),
    mailsPerHour: 100,
    onAway: () => {},
    pauseMs: () => 0,
    retryMs: [],
  })
  onTestFinished(() => mailQueue.close())
  const app = await startPasskeys({ mail: { mailQueue, mailAttribute: 'username', nameAttribute: null } })
  const { authenticator } = await enrol(app)
  const [notice] = await server.received(1)
  expect(notice?.to).toEqual([ADA.username])
  expect(notice?.text).toContain('https://login.example/account/forgot')
  expect(notice?.raw).not.toContain(authenticator.id)
  await expect.poll(() => stepsOf(app)).toEqual(['passkey-added', 'notice-mailed'])
})
