import { expect, test } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import { textsOf } from '../../../src/languages/languages.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { hiddenFieldsOf } from '../../login/hidden-fields.ts'
import { ADA } from '../../login/start-login-app.ts'
import { tokenIn } from '../../services/mail/mail-server.ts'
import { NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const JAPANESE = { 'Accept-Language': 'ja' }
const GERMAN = '<html lang="de" '

test('the chosen language goes on from the sign-in screen to every page of the account and to the mail', async () => {
  const app = await startAccountApp()
  const screen = await app.get('/?lang=de', JAPANESE)
  const forgot = /href="(\/account\/forgot[^"]*)"/.exec(screen.text)?.[1] ?? expect.unreachable()
  const asked = await app.get(forgot, JAPANESE)
  expect(asked.text).toContain(GERMAN)
  const fields = hiddenFieldsOf(asked)[0]?.fields
  expect(fields).toEqual({ lang: 'de' })
  const sent = await app.post('/account/forgot', { ...fields, username: ADA.username }, JAPANESE)
  expect(sent.text).toContain(GERMAN)
  expect(sent.text).toContain('/account/forgot?lang=de')
  const [mail] = await app.mail.received(1)
  expect(mail?.text).toContain(textsOf('de').account.mail.resetIgnore)
  const change = /href="(\/account\/change[^"]*)"/.exec(asked.text)?.[1] ?? expect.unreachable()
  expect((await app.get(change, JAPANESE)).text).toContain(GERMAN)
  const token = mail === undefined ? expect.unreachable() : tokenIn(mail)
  const opened = await app.get(`/account/new-password?token=${token}`, JAPANESE)
  expect(hiddenFieldsOf(opened)[0]?.fields).toEqual({ lang: 'ja', token })
})

test.each([
  ['username', true],
  ['email', false],
] as const)('pages for viewers who log in with a %s say "username": %s', async (usernameKind, saysUserName) => {
  const app = await startAccountApp({ entryPoints: [{ ...ENTRY_POINT, brand: { ...UNBRANDED, usernameKind } }] })
  const form = { ...ADA, newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }
  const pages = [
    await app.get('/account/forgot'),
    await app.post('/account/forgot', { username: '' }),
    await app.get('/account/change-password'),
    await app.post('/account/change-password', { ...form, password: 'wrong' }),
    await app.post('/account/change-password', { ...form, newPassword: ADA.username, repeatPassword: ADA.username }),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 400, 200, 401, 400])
  // Attributes are "username" too.
  for (const { text } of pages) expect(/username(?!")/i.test(text)).toBe(saysUserName)
})
