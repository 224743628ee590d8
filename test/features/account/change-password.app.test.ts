import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { type AccountApp, NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const CHANGE = '/account/change-password'
const FORM = { ...ADA, newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }

async function canSignIn(app: AccountApp, password: string): Promise<boolean> {
  return (await app.post('/sign-in', { username: ADA.username, password })).status === 303
}

const invalidIn = (html: string) => [...html.matchAll(/<input id="([^"]*)"[^>]*aria-invalid/g)].map(([, id]) => id)

test('a request for a link marks an empty name', async () => {
  const app = await startAccountApp()
  expect(invalidIn((await app.post('/account/forgot', { username: ' ' })).text)).toEqual(['username'])
  expect(invalidIn((await app.get('/account/forgot')).text)).toEqual([])
})

test('a viewer who knows the password changes it; all sessions end, and a notice is sent', async () => {
  const app = await startAccountApp()
  const cookie = await signIn(app)
  const changed = await app.post(CHANGE, FORM)
  expect(changed).toMatchObject({ status: 200, setCookies: [], headers: { 'cache-control': 'no-store' } })
  expect((await app.get('/', { Cookie: cookie })).status).toBe(200)
  expect([await canSignIn(app, ADA.password), await canSignIn(app, NEW_PASSWORD)]).toEqual([false, true])
  const [notice] = await app.mail.received(1)
  expect(notice?.to).toEqual([ADA.username])
  expect(app.lines.filter(({ outcome }) => outcome === 'password-changed')).toMatchObject([
    { event: 'account', viewer: ADA.username, entryPoint: 'default' },
  ])
  expect(JSON.stringify(app.lines)).not.toContain('PASSWORDMARKER')
})

test('a change ends a link that was sent before', async () => {
  const app = await startAccountApp()
  await app.post('/account/forgot', { username: ADA.username })
  const [mail] = await app.mail.received(1)
  const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
  await app.post(CHANGE, FORM)
  expect(await app.get(`/account/new-password?token=${token}`)).toMatchObject({ status: 410 })
})

const OWN = ['username', 'password']
const NEW = ['new-password', 'repeat-password']

test.each([
  ['a wrong password', 401, OWN, { password: 'PASSWORDMARKER wrong' }],
  ['an unknown name', 401, OWN, { username: 'nobody@example.com' }],
  ['the same password again', 400, NEW, { newPassword: ADA.password, repeatPassword: ADA.password }],
  ['two different new passwords', 400, NEW, { repeatPassword: `${NEW_PASSWORD}!` }],
  ['a common new password', 400, NEW, { newPassword: 'password1', repeatPassword: 'password1' }],
  ['no password', 400, [...OWN, ...NEW], { password: '' }],
  ['no name', 400, [...OWN, ...NEW], { username: ' ' }],
])('a change with %s is refused with status %i', async (_what, status, marked, fields) => {
  const app = await startAccountApp()
  const answer = await app.post(CHANGE, { ...FORM, ...fields })
  expect(answer.status).toBe(status)
  expect(answer.text).toContain('role="alert"')
  expect(invalidIn(answer.text)).toEqual(marked)
  expect(answer.text).not.toContain('PASSWORDMARKER')
  expect(await canSignIn(app, ADA.password)).toBe(true)
})

test('a wrong password and an unknown name get the same answer', async () => {
  const app = await startAccountApp()
  const wrong = await app.post(CHANGE, { ...FORM, password: 'wrong' })
  const unknown = await app.post(CHANGE, { ...FORM, username: 'bob@example.com', password: 'wrong' })
  expect(unknown.text.replace('bob@', 'ada@')).toBe(wrong.text)
})

test('guesses at the page count as failed sign-ins', async () => {
  const app = await startAccountApp()
  const statuses = []
  for (let guess = 0; guess < 7; guess += 1) {
    statuses.push((await app.post(CHANGE, { ...FORM, password: `wrong ${guess}` })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  expect((await app.post('/sign-in', ADA)).status).toBe(429)
})

test('a disabled viewer and a post of another site cannot change a password', async () => {
  const app = await startAccountApp()
  expect(await app.post(CHANGE, FORM, { 'Sec-Fetch-Site': 'cross-site' })).toMatchObject({ status: 403 })
  await app.store.setDisabled(ADA.username, true)
  expect(await app.post(CHANGE, FORM)).toMatchObject({ status: 403 })
  await app.store.setDisabled(ADA.username, false)
  expect(await canSignIn(app, ADA.password)).toBe(true)
})

test('without a mail server there is no page to reset or change a password, and no link to it', async () => {
  const app = await startAccountApp({ changed: { mailQueue: null } })
  for (const path of ['/account/forgot', CHANGE]) expect(await app.get(path)).toMatchObject({ status: 404 })
  expect((await app.get('/')).text).not.toContain('/account/')
  expect(await app.get('/account/new-password?token=x')).toMatchObject({ status: 410 })
})

test('with a mail server, the sign-in screen links to the page of this app', async () => {
  const app = await startAccountApp()
  expect((await app.get('/')).text).toContain('href="/account/forgot?lang=en"')
  expect((await app.get('/e/default/account/forgot')).status).toBe(200)
})

test('the address at which password managers look leads to the page, for a browser with any query', async () => {
  const app = await startAccountApp()
  for (const query of ['', '?x=1']) {
    const answer = await app.get(`/.well-known/change-password${query}`)
    expect([answer.status, answer.location]).toEqual([303, CHANGE])
  }
  expect(
    (await app.get('/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200')).status,
  ).toBe(404)
})

test('each page of the account has the links of HELP_URL and TERMS_URL', async () => {
  const brand = { ...ENTRY_POINT.brand, helpUrl: 'https://help.example/', termsUrl: 'https://help.example/terms' }
  const app = await startAccountApp({ entryPoints: [{ ...ENTRY_POINT, brand }] })
  for (const path of [CHANGE, '/account/forgot', '/account/new-password?token=unknown']) {
    const { text } = await app.get(path)
    expect([path, text.match(/https:\/\/help\.example\/(?:terms)?(?=")/g)]).toEqual([
      path,
      [brand.helpUrl, brand.termsUrl],
    ])
  }
})
