import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { errorText } from '../../src/languages/languages.ts'
import { SECRET } from './entry-point.ts'
import { withoutPage } from './hidden-fields.ts'
import { alertOf, expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { ADA, formOf, START_SECONDS, startLoginApp } from './start-login-app.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = 'application/x-www-form-urlencoded'
const adaAsJson = JSON.stringify(ADA)
const adaAsForm = formOf(ADA)
const password = formOf({ password: ADA.password })
const username = formOf({ username: ADA.username })
const multipart = ['--b', 'Content-Disposition: form-data; name="username"', '', ADA.username, '--b--', ''].join('\r\n')

test('a right password passes the viewer on with a response that is valid by the specification', async () => {
  const app = await startLoginApp()
  const answer = await app.post('/sign-in', ADA)
  expect(answer.status).toBe(303)
  expect(answer.text).toBe('')
  expect(responseOf(answer.location)).toEqual({
    address: 'https://player.example/embed/hashlock/pass?keep=a%20b',
    parameters: [['user', ADA.username]],
    expiresAtSeconds: START_SECONDS + 3600,
  })
})

test('a password is compared exactly as typed, with spaces, plus signs, umlauts, tabs and line ends', async () => {
  const app = await startLoginApp()
  const odd = '  +ä%41&=\u{1f511}\t\n|"<  '
  app.users.add('odd', odd)
  expect((await app.post('/sign-in', { username: 'odd', password: odd })).status).toBe(303)
  expect(app.users.asked).toEqual([{ username: 'odd', password: odd }])
  expect((await app.post('/sign-in', { username: 'odd', password: odd.trim() })).status).toBe(401)
})

test('spaces around a user name are ignored, because phones type them', async () => {
  const app = await startLoginApp()
  expect((await app.post('/sign-in', { ...ADA, username: ` ${ADA.username}\u00a0` })).status).toBe(303)
})

test('the player gets the user name as the store spells it', async () => {
  const app = await startLoginApp()
  app.users.add('ADA', 'pw', { username: 'Ada Lovelace ✓' })
  const { location } = await app.post('/sign-in', { username: 'ADA', password: 'pw' })
  expect(responseOf(location).parameters).toEqual([['user', 'Ada Lovelace ✓']])
})

test('a disabled viewer gets 403 only after the right password', async () => {
  const app = await startLoginApp()
  app.users.disable(ADA.username)
  const disabled = await app.post('/sign-in', ADA)
  expectRefused(disabled, 403)
  expect(alertOf(disabled)).toBe(errorText('en', 'disabled'))
  const wrong = await app.post('/sign-in', { ...ADA, password: 'wrong' })
  expectRefused(wrong, 401)
  expect(alertOf(wrong)).toBe(errorText('en', 'wrongCredentials'))
})

test('an expired password gives 403 in every language, but only if it was right', async () => {
  const app = await startLoginApp()
  app.users.expirePassword(ADA.username)
  for (const language of ['en', 'de', 'es', 'ja'] as const) {
    const expired = await app.post('/sign-in', ADA, { 'Accept-Language': language })
    expectRefused(expired, 403)
    expect(alertOf(expired)).toBe(errorText(language, 'expiredPassword'))
  }
  const wrong = await app.post('/sign-in', { ...ADA, password: 'wrong' })
  expectRefused(wrong, 401)
  expect(alertOf(wrong)).toBe(errorText('en', 'wrongCredentials'))
  expect(app.lines.map(({ outcome }) => outcome)).toEqual([...Array(4).fill('expired-password'), 'wrong-credentials'])
})

test('an expired password is not counted as a failed attempt', async () => {
  const app = await startLoginApp()
  app.users.expirePassword(ADA.username)
  for (let time = 0; time < 12; time += 1) expect((await app.post('/sign-in', ADA)).status).toBe(403)
})

test('the answers to a wrong password and to an unknown name differ only in the typed name', async () => {
  const app = await startLoginApp()
  const wrong = await app.post('/sign-in', { username: ADA.username, password: 'wrong' })
  const unknown = await app.post('/sign-in', { username: 'bob@example.com', password: 'wrong' })
  expectRefused(wrong, 401)
  expect(unknown.status).toBe(wrong.status)
  expect(withoutPage(unknown)).toBe(withoutPage(wrong).replace(ADA.username, 'bob@example.com'))
  const comparable = ({ headers }: typeof wrong) => ({ ...headers, date: '', 'content-length': '' })
  expect(comparable(unknown)).toEqual(comparable(wrong))
  expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers))
})

test('a wrong password keeps the typed name in the form, but not the password', async () => {
  const app = await startLoginApp()
  const { text } = await app.post('/sign-in', { username: ADA.username, password: 'WRONGMARKER' })
  expect(text).toContain(`name="username" value="${ADA.username}"`)
  expect(text).not.toContain('WRONGMARKER')
})

test.each([
  ['no user name', formOf({ username: '', password: 'x' }), 400],
  ['a user name of spaces', formOf({ username: '   ', password: 'x' }), 400],
  ['no password', formOf({ username: 'ada', password: '' }), 400],
  ['two empty fields', 'username=&password=', 400],
  ['no field at all', '', 400],
  ['a missing password', username, 400],
  ['a missing user name', password, 400],
  ['a repeated user name', `${adaAsForm}&username=bob`, 400],
  ['a repeated password', `${adaAsForm}&password=other`, 400],
  ['the same password twice', `${adaAsForm}&${password}`, 400],
  ['an array as the user name', `username[]=${ADA.username}&${password}`, 400],
  ['an object as the user name', `username[a]=${ADA.username}&${password}`, 400],
  ['an array as the password', `${username}&password[]=x`, 400],
  ['an object as the password', `${username}&password[$ne]=`, 400],
  ['an indexed array', `username[0]=a&username[1]=b&${password}`, 400],
  ['__proto__ as the carrier of the fields', `__proto__[username]=a&__proto__[password]=b`, 400],
  ['a NUL in the user name', `username=ada%00&${password}`, 400],
  ['a newline in the user name', `username=ada%0Abob&${password}`, 400],
  ['an escape character in the user name', `username=ada%1B%5B2J&${password}`, 400],
  ['DEL in the user name', `username=ada%7F&${password}`, 400],
  ['a C1 control character in the user name', `username=ada%C2%85&${password}`, 400],
  ['a NUL in the password', `${username}&password=a%00b`, 400],
  ['a lone surrogate in the user name, as browsers send it', `username=ada%EF%BF%BD&${password}`, 400],
  ['a lone surrogate in the password, as browsers send it', `${username}&password=a%EF%BF%BD`, 400],
  ['an encoded lone surrogate in the user name', `username=ada%ED%A0%80&${password}`, 400],
  ['an encoded lone surrogate in the password', `${username}&password=a%ED%A0%80`, 400],
  ['percent-encoded bytes that are not UTF-8 in the user name', `username=ada%ff&${password}`, 400],
  ['percent-encoded bytes that are not UTF-8 in the password', `${username}&password=%ff%fe`, 400],
  ['an overlong encoding of "/"', `username=%C0%AF&${password}`, 400],
  ['a percent sign that encodes nothing', `username=ada%&${password}`, 400],
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from('username=ada'), 0xff, ...Buffer.from('&password=x')]), 400],
  ['21 parameters', `${adaAsForm}${'&x=1'.repeat(19)}`, 400],
  ['more than 8 kB', formOf({ username: ADA.username, password: 'x'.repeat(8192) }), 413],
  ['1 MB', formOf({ username: ADA.username, password: 'x'.repeat(1_000_000) }), 413],
])('a sign-in with %s is refused before the password is checked', async (_case, body, status) => {
  const app = await startLoginApp()
  const answer = await app.post('/sign-in', body)
  expectRefused(answer, status)
  expect(app.users.asked).toEqual([])
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test.each([
  ['JSON', adaAsJson, JSON_TYPE],
  ['JSON with another JSON type', adaAsJson, { 'Content-Type': 'application/vnd.api+json' }],
  ['multipart', multipart, { 'Content-Type': 'multipart/form-data; boundary=b' }],
  ['plain text', adaAsForm, { 'Content-Type': 'text/plain' }],
  ['XML', '<username>ada</username>', { 'Content-Type': 'application/xml' }],
  ['an invalid type', adaAsForm, { 'Content-Type': ';;;' }],
  ['a form in UTF-16', Buffer.from(adaAsForm, 'utf16le'), { 'Content-Type': `${FORM_TYPE}; charset=utf-16` }],
  ['a form in Latin-1', adaAsForm, { 'Content-Type': `${FORM_TYPE}; charset=iso-8859-1` }],
  ['a form in UTF-7', adaAsForm, { 'Content-Type': `${FORM_TYPE}; charset=utf-7` }],
  ['a gzipped form', gzipSync(adaAsForm), { 'Content-Type': FORM_TYPE, 'Content-Encoding': 'gzip' }],
  ['a form in an unknown encoding', adaAsForm, { 'Content-Type': FORM_TYPE, 'Content-Encoding': 'x-own' }],
])('a sign-in as %s gives 415', async (_case, body, headers) => {
  const app = await startLoginApp()
  expectRefused(await app.post('/sign-in', body, headers), 415)
  expect(app.users.asked).toEqual([])
})

test('a sign-in without body and type gives 415', async () => {
  const app = await startLoginApp()
  expectRefused(await app.post('/sign-in'), 415)
})

test('JSON with the type of a form gives 400', async () => {
  const app = await startLoginApp()
  expectRefused(await app.post('/sign-in', adaAsJson), 400)
})

test('the charset UTF-8 may be in capitals', async () => {
  const app = await startLoginApp()
  const headers = { 'Content-Type': 'application/X-WWW-form-urlencoded; charset="UTF-8"' }
  expect((await app.post('/sign-in', ADA, headers)).status).toBe(303)
})

test('a form with 20 parameters is accepted, and unknown parameters are ignored', async () => {
  const app = await startLoginApp()
  expect((await app.post('/sign-in', `${adaAsForm}${'&x=1'.repeat(18)}`)).status).toBe(303)
})

test('the query of a sign-in does not replace fields of the form', async () => {
  const app = await startLoginApp()
  expectRefused(await app.post(`/sign-in?${adaAsForm}`, 'username=&password='), 400)
  expect((await app.post('/sign-in?username=bob&password=wrong&hashConsumer=https://evil.example/', ADA)).status).toBe(
    303,
  )
  expect(app.users.asked).toEqual([ADA])
})

test('the user store is asked for the name without hidden characters, and for the password as it is', async () => {
  const app = await startLoginApp()
  const typed = { username: '\u200b<mailto:Eve@example.com>,\u00a0', password: '\u200bx ' }
  expectRefused(await app.post('/sign-in', typed), 401)
  expect(app.users.asked).toEqual([{ username: 'Eve@example.com', password: '\u200bx ' }])
})

test.each([
  'bob|1900000000',
  "' OR 1=1 --",
  '*)(uid=*',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../../etc/passwd',
  '<%= 7*7 %> {{7*7}}',
  '{username}',
  'x'.repeat(4000),
])('the user name %j gives 401', async (name) => {
  const app = await startLoginApp()
  expectRefused(await app.post('/sign-in', { username: name, password: 'x' }), 401)
  expect(app.users.asked).toEqual([{ username: name, password: 'x' }])
})

test('a viewer whose name contains "|" gets no response, because two names could have one hash', async () => {
  const app = await startLoginApp()
  app.users.add('bob|1900000000', 'pw')
  const answer = await app.post('/sign-in', { username: 'bob|1900000000', password: 'pw' })
  expectRefused(answer, 403)
  expect(alertOf(answer)).toContain('bob|1900000000')
  expect(app.lines).toContainEqual(
    expect.objectContaining({ outcome: 'unusable-attribute', attribute: 'username', entryPoint: 'default' }),
  )
})

test('no answer of the screens shows the secret', async () => {
  const app = await startLoginApp()
  const answers = [
    await app.get('/'),
    await app.post('/sign-in', ADA),
    await app.post('/sign-in', 'username=&password='),
  ]
  expect(JSON.stringify(answers)).not.toContain(SECRET)
})
