import { expect, test } from 'vitest'
import { codeIn, frameIn, GUEST, startMailApp } from '../../features/mail-sign-in/start-mail-app.ts'
import { hiddenIn, startRegistration } from '../../features/registration/start-registration.ts'
import { cookieIn } from '../../login/signed-in.ts'
import type { Answer } from '../../login/start-login-app.ts'

const cookies = ({ setCookies }: Answer) => setCookies

test('a browser with cookies gets the form for the code again, at the same frame, until the code was used', async () => {
  const app = await startMailApp({ hasPasswordForm: true })
  const asked = await app.ask(GUEST)
  expect(cookies(asked)[0]).toMatch(
    /^__Host-code-default=\S+; Max-Age=600; Path=\/; .*HttpOnly; Secure; Partitioned; SameSite=None$/,
  )
  const Cookie = cookieIn(asked)
  const form = await app.get('/', { Cookie })
  expect([form.text.includes('id="code"'), form.text.includes(GUEST), frameIn(form)]).toEqual([
    true,
    true,
    frameIn(asked),
  ])
  // Only in the cookie itself: a copy of the address tells nothing.
  expect(Cookie).not.toContain(GUEST)
  for (const prompt of ['mail', 'password', 'login']) {
    expect((await app.get(`/?prompt=${prompt}`, { Cookie })).text).not.toContain('id="code"')
  }
  expect((await app.get('/', { Cookie: Cookie.slice(0, -4) })).text).not.toContain('id="code"')
  const [mail] = await app.mail.received(1)
  const used = await app.check(GUEST, frameIn(form), codeIn(mail ?? expect.unreachable()), { Cookie })
  expect(used.status).toBe(303)
  expect(cookies(used).some((one) => one.includes('code-default=;'))).toBe(true)
})

test('a browser without cookies begins with the address', async () => {
  const app = await startMailApp()
  await app.ask(GUEST)
  expect((await app.get('/')).text).toContain('id="mail"')
})

test('an unlisted address has the same cookie', async () => {
  const app = await startMailApp()
  const listed = cookies(await app.ask(GUEST))[0]?.length
  const unlisted = cookies(await app.ask('other@example.com'))[0]?.length
  expect((unlisted ?? 0) - (listed ?? 0)).toBeLessThan(8)
})

test('the registration shows its form for the code again, and leads to another address', async () => {
  const { app, ask, post, codeIn } = await startRegistration()
  const asked = await ask('ada@example.com')
  const headers = { Cookie: cookieIn(asked) }
  const entry = await app.get('/', headers)
  expect([entry.status, entry.location]).toEqual([303, expect.stringContaining('/register')])
  const form = await app.get('/register', headers)
  expect(hiddenIn(form)).toMatchObject({ address: 'ada@example.com', secret: hiddenIn(asked).secret })
  const [, other = ''] = /href="(\/register\?[^"]*prompt=address[^"]*)"/.exec(form.text) ?? []
  expect((await app.get(other.replaceAll('&amp;', '&'), headers)).text).toContain('name="start"')
  const answer = await post('/register/code', { ...hiddenIn(form), code: await codeIn('ada@example.com') })
  expect(answer.text).toContain('1/2')
})
