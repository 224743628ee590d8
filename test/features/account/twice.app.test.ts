import { expect, test } from 'vitest'
import { ADA } from '../../login/start-login-app.ts'
import { NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const PASSWORDS = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }

test('a request for a link sent twice is one mail, whose link works when its form is sent twice', async () => {
  const app = await startAccountApp()
  const ask = () => app.post('/account/forgot', { username: ADA.username })
  const asked = await Promise.all([ask(), ask()])
  expect(asked.map(({ text }) => text)).toEqual([asked[0]?.text, asked[0]?.text])
  const [mail] = await app.mail.received(1)
  const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
  const set = (more = {}) => app.post('/account/new-password', { token, ...PASSWORDS, ...more })
  const both = await Promise.all([set(), set()])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(both[1]?.text).toBe(both[0]?.text)
  expect((await set({ newPassword: 'another gray heron', repeatPassword: 'another gray heron' })).status).toBe(410)
  app.clock.seconds += 11
  expect((await set()).status).toBe(410)
  // The link and the notice of the change: a second link would have come before the notice.
  const mails = await app.mail.received(2)
  expect(mails.filter(({ text }) => text.includes('token='))).toHaveLength(1)
  expect(app.lines.filter(({ outcome }) => outcome === 'password-reset')).toHaveLength(1)
})

test('a change of the password sent twice is one change, and a later one is refused', async () => {
  const app = await startAccountApp()
  const change = (headers = {}) => app.post('/account/change-password', { ...ADA, ...PASSWORDS }, headers)
  const both = await Promise.all([change(), change()])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect((await change({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  app.clock.seconds += 11
  expect((await change()).status).toBe(401)
  expect(app.lines.filter(({ outcome }) => outcome === 'password-changed')).toHaveLength(1)
})
