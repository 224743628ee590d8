import { expect, test } from 'vitest'
import { hiddenFieldsOf } from './hidden-fields.ts'
import { STORE_DOWN } from './memory-users.ts'
import { expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { expectScreen, signIn } from './signed-in.ts'
import { ADA, type Answer, startLoginApp } from './start-login-app.ts'

const BOB = { username: 'bob', password: 'bob’s own' }
const WRONG = { ...BOB, password: 'wrong' }

/** True if the screen lets the viewer go on as Ada, without a password. */
function offersToContinue({ text }: Answer): boolean {
  const form = /<form[^>]*action="\/continue"[^>]*>.*?<\/form>/s.exec(text)?.[0] ?? ''
  return form.includes(ADA.username)
}

function fieldsToContinue(screen: Answer): Record<string, string> {
  return hiddenFieldsOf(screen).find(({ action }) => action === '/continue')?.fields ?? expect.unreachable('no form')
}

async function signedIn() {
  const app = await startLoginApp()
  app.users.add(BOB.username, BOB.password)
  return { app, Cookie: await signIn(app) }
}

test('a signed-in viewer may continue, log out or use another account', async () => {
  const { app, Cookie } = await signedIn()
  const answer = await app.get('/?prompt=login&ustreamContentId=7', { Cookie })
  expectScreen(answer)
  expect(offersToContinue(answer)).toBe(true)
  expect(answer.text).toContain('action="/sign-out"')
  expect(answer.text).toContain('action="/sign-in"')
  expect(answer.text.match(/name="ustreamContentId" value="7"/g)?.length).toBeGreaterThanOrEqual(4)
})

test('the form for another account is open only if the viewer has asked for it, or after a mistake', async () => {
  const { app, Cookie } = await signedIn()
  const isOpen = ({ text }: Answer) => /<details open>/.test(text)
  expect(isOpen(await app.get('/?prompt=login', { Cookie }))).toBe(false)
  const chosen = await app.get('/?prompt=other-account', { Cookie })
  expectScreen(chosen)
  expect([isOpen(chosen), offersToContinue(chosen)]).toEqual([true, true])
  expect(isOpen(await app.post('/sign-in', WRONG, { Cookie }))).toBe(true)
})

test('a viewer who is not signed in cannot continue', async () => {
  const { app } = await signedIn()
  expect(offersToContinue(await app.get('/?prompt=login'))).toBe(false)
  expect(offersToContinue(await app.post('/sign-in', WRONG))).toBe(false)
})

test.each([
  ['a wrong password', WRONG, 401],
  ['an empty password', { ...BOB, password: '' }, 400],
  ['a control character', { ...BOB, username: 'b\u0001b' }, 400],
])('a signed-in viewer may still continue after %s for another account', async (_case, form, status) => {
  const { app, Cookie } = await signedIn()
  const answer = await app.post('/sign-in', form, { Cookie })
  expectRefused(answer, status)
  expect(offersToContinue(answer)).toBe(true)
  responseOf((await app.post('/continue', {}, { Cookie })).location)
})

test('a viewer who chooses to continue as Ada never continues as Bob, who signed in meanwhile', async () => {
  const { app, Cookie: ofAda } = await signedIn()
  const screen = await app.get('/?prompt=login', { Cookie: ofAda })
  const Cookie = await signIn(app, BOB, ofAda)
  const answer = await app.post('/continue', fieldsToContinue(screen), { Cookie })
  expectScreen(answer)
  expect(answer.setCookies).toEqual([])
  const shown = fieldsToContinue(answer)
  expect(shown).toEqual({ viewer: BOB.username })
  const { location } = await app.post('/continue', shown, { Cookie })
  expect(responseOf(location).parameters).toEqual([['user', BOB.username]])
})

test('a mistake shows its own sentence if the signed-in viewer cannot be looked up', async () => {
  const { app, Cookie } = await signedIn()
  app.users.fail(STORE_DOWN)
  const answer = await app.post('/sign-in', { ...BOB, password: '' }, { Cookie })
  expectRefused(answer, 400)
  expect(offersToContinue(answer)).toBe(false)
})

test('a post from another site does not show who is signed in', async () => {
  const { app, Cookie } = await signedIn()
  const answer = await app.post('/sign-in', WRONG, { Cookie, 'Sec-Fetch-Site': 'cross-site' })
  expectRefused(answer, 403)
  expect(answer.text).not.toContain(ADA.username)
})

test('a viewer who signs in with another account gets the response and the session of that account', async () => {
  const { app, Cookie } = await signedIn()
  const answer = await app.post('/sign-in', BOB, { Cookie })
  expect(responseOf(answer.location).parameters).toEqual([['user', BOB.username]])
  const cookie = answer.setCookies[0]?.split(';')[0] ?? ''
  expect(responseOf((await app.get('/', { Cookie: cookie })).location).parameters).toEqual([['user', BOB.username]])
  expectScreen(await app.get('/', { Cookie }))
})

test('a viewer who logs out is asked for a password again', async () => {
  const { app, Cookie } = await signedIn()
  expect((await app.post('/sign-out', { ustreamContentId: '7' }, { Cookie })).location).toBe('/?ustreamContentId=7')
  expectScreen(await app.get('/', { Cookie }))
})
