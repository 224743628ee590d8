import { expect, test } from 'vitest'
import { newToken } from '../../../src/features/account/links/tokens.ts'
import { MOST_PASSKEYS } from '../../../src/users/passkeys/passkey-store.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA, type Answer } from '../../login/start-login-app.ts'
import { passkey } from './passkeys-contract.ts'
import { fieldOf, openFrame, ownHeaders, type PasskeyApp, startPasskeys, typePassword } from './start-passkeys.ts'

const NEW_PASSWORD = 'PASSWORDMARKER another heron'
const NEW = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }
const MAIL = { server: null, addressAttribute: 'username', resetsPerHour: 100 }

/** Starts the app. Ada has two passkeys, `ours` and `theirs`. */
async function startWithPasskeys(settings: Parameters<typeof startPasskeys>[0] = {}) {
  const app = await startPasskeys({ featureSettings: { account: MAIL }, ...settings })
  await app.passkeys.userHandleOf(ADA.username)
  for (const [index, id] of ['ours', 'theirs'].entries()) {
    const createdAtSeconds = app.clock.seconds + index * 86_400
    await app.passkeys.add(ADA.username, passkey(id, { name: `<b>${id}`, createdAtSeconds }))
  }
  return app
}

async function idsOf(app: PasskeyApp): Promise<string[]> {
  return (await app.passkeys.list(ADA.username)).map(({ id }) => id)
}

/** Returns the values of the boxes, the oldest passkey first. */
function boxesIn({ text }: Answer): string[] {
  return [...text.matchAll(/name="removePasskey" value="([^"]+)"/g)].map(([, value = '']) => value)
}

/** Returns a form in which these boxes are ticked. */
function formWith(fields: Record<string, string>, boxes: readonly string[]): string {
  const form = new URLSearchParams(fields)
  for (const box of boxes) form.append('removePasskey', box)
  return `${form}`
}

async function createLink(app: PasskeyApp): Promise<string> {
  const { token, digest } = newToken()
  const link = { purpose: 'reset', digest, expiresAtSeconds: app.clock.seconds + 600 } as const
  await app.store.passwordChanges.createLink(ADA.username, link)
  return token
}

test('the page that resets the password lists the passkeys with device and day, and removes those that are ticked', async () => {
  const app = await startWithPasskeys()
  const token = await createLink(app)
  const page = await app.get(`/account/new-password?token=${token}`)
  expect(page.text).toContain('&lt;b&gt;ours')
  expect(page.text).toContain('May 18, 2033')
  expect(page.text).not.toContain('checked')
  expect(page.text).not.toContain('value="ours"')
  const [, theirs = ''] = boxesIn(page)
  const form = { token, removePasskey: theirs }
  const refused = await app.post('/account/new-password', { ...form, newPassword: 'short', repeatPassword: 'short' })
  expect(refused.text).toContain(`value="${theirs}" checked`)
  expect(await idsOf(app)).toEqual(['ours', 'theirs'])
  expect(await app.post('/account/new-password', { ...form, ...NEW })).toMatchObject({ status: 200 })
  expect(await idsOf(app)).toEqual(['ours'])
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'passkey-removed', viewer: ADA.username }))
})

test('a reset keeps the passkeys that are not ticked, and a dead link removes none', async () => {
  const app = await startWithPasskeys()
  const token = await createLink(app)
  const boxes = boxesIn(await app.get(`/account/new-password?token=${token}`))
  expect(await app.post('/account/new-password', { token, ...NEW })).toMatchObject({ status: 200 })
  const dead = formWith({ token, ...NEW }, boxes)
  expect(await app.post('/account/new-password', dead)).toMatchObject({ status: 410 })
  expect(await idsOf(app)).toEqual(['ours', 'theirs'])
})

/** Types the password in the window, and asks for the list. */
async function openOwn(app: PasskeyApp, fields: Record<string, string> = { own: 'on' }) {
  const page = await typePassword(app, await openFrame(app), { ...ADA, ...fields })
  const cookie = page.setCookies.map((line) => line.split(';')[0]).join('; ')
  const form = { flow: fieldOf(page, 'flow'), challenge: fieldOf(page, 'challenge') }
  const remove = (boxes: readonly string[], own = cookie) => {
    return app.post('/passkey/remove', formWith(form, boxes), ownHeaders(app, own))
  }
  return { page, boxes: boxesIn(page), remove }
}

test('a viewer removes several own passkeys in the window, which ends all sessions', async () => {
  const app = await startWithPasskeys()
  const Cookie = await signIn(app)
  const { boxes, remove } = await openOwn(app)
  expect(await remove(boxes)).toMatchObject({ status: 200 })
  expect(await idsOf(app)).toEqual([])
  expect(await app.get('/', { Cookie })).toMatchObject({ status: 200 })
  app.clock.seconds += 11
  expect((await remove(boxes)).status).toBe(400)
  expect((await openOwn(app)).boxes).toEqual([])
})

test('the form sent twice removes once, and says so again, in its browser alone', async () => {
  const app = await startWithPasskeys()
  const { boxes, remove } = await openOwn(app)
  const both = await Promise.all([remove(boxes.slice(0, 1)), remove(boxes.slice(0, 1))])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(both[1]?.text).toBe(both[0]?.text)
  expect(await idsOf(app)).toEqual(['theirs'])
  expect(app.lines.filter(({ outcome }) => outcome === 'passkey-removed')).toHaveLength(1)
  expect((await remove(boxes.slice(0, 1), '')).status).toBe(400)
  expect((await remove(boxes)).status).toBe(400)
})

test('the password form sent twice asks for the same step again, and each page works', async () => {
  const app = await startWithPasskeys()
  const first = await openOwn(app)
  const second = await openOwn(app)
  expect([first.page.status, second.page.status]).toEqual([200, 200])
  expect(second.boxes).toEqual(first.boxes)
  // The browser shows the second page.
  expect((await second.remove(second.boxes)).status).toBe(200)
})

test('without a tick nothing is removed, and the list stays', async () => {
  const app = await startWithPasskeys()
  const { boxes, remove } = await openOwn(app)
  expect(boxesIn(await remove([]))).toEqual(boxes)
  expect(await idsOf(app)).toEqual(['ours', 'theirs'])
})

test.each([
  ['without the cookie of the window', () => {}, ''],
  [
    'after a new password',
    async (app: PasskeyApp) => void (await app.store.setPassword(ADA.username, NEW_PASSWORD)),
    undefined,
  ],
  [
    'after two minutes',
    ({ clock }: PasskeyApp) => {
      clock.seconds += 121
    },
    undefined,
  ],
])('%s, the list removes nothing', async (_case, change, cookie) => {
  const app = await startWithPasskeys()
  const { boxes, remove } = await openOwn(app)
  await change(app)
  expect((await remove(boxes, cookie)).status).toBe(400)
  expect(await idsOf(app)).toEqual(['ours', 'theirs'])
})

test('a sign-in without a password cannot remove passkeys', async () => {
  const app = await startWithPasskeys()
  const { boxes } = await openOwn(app)
  const { flow } = await openFrame(app)
  const page = await app.post('/passkey/start', { flow }, ownHeaders(app))
  const cookie = page.setCookies.map((line) => line.split(';')[0]).join('; ')
  const form = { flow, challenge: fieldOf(page, 'challenge'), removePasskey: boxes[0] ?? '' }
  expect((await app.post('/passkey/remove', form, ownHeaders(app, cookie))).status).toBe(400)
  expect(await idsOf(app)).toEqual(['ours', 'theirs'])
})

test('a viewer with too many passkeys gets the list, to remove one', async () => {
  const app = await startWithPasskeys()
  for (let more = 2; more < MOST_PASSKEYS; more += 1) await app.passkeys.add(ADA.username, passkey(`id-${more}`))
  const { page, boxes, remove } = await openOwn(app, {})
  expect([page.status, boxes.length]).toEqual([403, MOST_PASSKEYS])
  await remove(boxes.slice(0, 1))
  expect((await typePassword(app, await openFrame(app))).status).toBe(200)
})
