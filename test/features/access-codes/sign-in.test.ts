import { expect, test } from 'vitest'
import { LANGUAGES, textsOf } from '../../../src/languages/languages.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { withoutPage } from '../../login/hidden-fields.ts'
import { cookieIn, goesOn } from '../../login/signed-in.ts'
import { ADA, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { all, KEY, startCodesApp, withCodes } from './codes-app.ts'

const valuesIn = (location = '') => Object.assign({}, ...JSON.parse(new URL(location).searchParams.get('hash') ?? '[]'))
const alertOf = ({ text }: { text: string }) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
const errors = textsOf('en')['access-codes'].errors

test('a personal code signs its guest in, in any spelling, and the session brings the guest back', async () => {
  const { app, create, enter } = await startCodesApp()
  const [code = ''] = await create()
  const answer = await enter(` ${code.toLowerCase().replaceAll('-', ' ')} `)
  expect(answer.status).toBe(303)
  expect(valuesIn(answer.location)).toMatchObject({ user: 'GALA-0001' })
  expect(app.lines.at(-1)).toMatchObject({
    outcome: 'signed-in',
    viewer: 'GALA-0001',
    issuer: 'codes',
    subject: 'default/GALA/000001',
  })
  const back = await app.get('/', { Cookie: cookieIn(answer) })
  expect(valuesIn(back.location)).toMatchObject({ user: 'GALA-0001' })
})

test('the name of the list, its groups and its attributes are those of the viewer', async () => {
  const parameters = ['username', 'label', 'number', 'seat'].map((attribute) => ({ name: attribute, attribute }))
  const entryPoints = [{ ...withCodes(ENTRY_POINT, { asksName: 'optional' }), parameters, allowedGroups: ['gold'] }]
  const { create, enter } = await startCodesApp({ entryPoints })
  const holder = { name: 'Ada Lovelace', groups: ['gold'], attributes: { seat: '12' } }
  const [code = '', other = ''] = await create({}, [holder, { ...holder, name: null, groups: [] }])
  const { location } = await enter(code, { name: 'Somebody' })
  expect(valuesIn(location)).toMatchObject({ username: 'Ada Lovelace', label: 'GALA', number: '0001', seat: '12' })
  expect((await enter(other)).status).toBe(403)
})

test('the people of a shared code have a number, or the name that they type', async () => {
  const { codes, create, enter } = await startCodesApp({ settings: { asksName: 'optional' } })
  const [code = ''] = await create({ isShared: true, most: 300 }, undefined, 'SUMMER')
  const users = []
  for (const name of ['', 'Grace  Hopper', '']) users.push(valuesIn((await enter(code, { name })).location).user)
  expect(users).toEqual(['GALA-0001', 'Grace Hopper', 'GALA-0003'])
  const [batch] = await codes.batches()
  const listed = batch && (await all(codes.codesOf(batch)))
  expect(listed?.[0]?.uses).toEqual({
    count: 3,
    firstAtSeconds: START_SECONDS,
    lastAtSeconds: START_SECONDS,
    name: 'Grace Hopper',
  })
  expect(await all(codes.people('default/GALA/000001'))).toEqual([{ number: 2, name: 'Grace Hopper' }])
})

test('a guest is never joined with an account of the same name', async () => {
  const { app, create, enter } = await startCodesApp({ settings: { asksName: 'required' } })
  const [code = ''] = await create()
  const cookie = cookieIn(await enter(code, { name: ADA.username }))
  app.users.remove?.(ADA.username)
  expect(goesOn(await app.get('/', { Cookie: cookie }))).toBe(true)
})

test.each([
  ['another code', 'CDF2-GHJ-KM3', {}, 401, errors.wrongCode],
  ['a text that cannot be a code', '<b>', {}, 401, errors.wrongCode],
  ['no code', '  ', {}, 400, errors.emptyCode],
  ['no name', 'CDF2-GHJ-KM3', { name: ' ' }, 400, errors.emptyName],
  ['a name that no response can carry', 'CDF2-GHJ-KM3', { name: 'a|b' }, 400, errors.unusableName],
  ['a long name', 'CDF2-GHJ-KM3', { name: 'a'.repeat(101) }, 400, errors.unusableName],
])('%s is refused with its own words', async (_case, code, fields, status, words) => {
  const { app, create, enter } = await startCodesApp({ settings: { asksName: 'required' } })
  await create()
  const answer = await enter(code, { name: 'Ada <i>', ...fields })
  expect(answer.status).toBe(status)
  expect(alertOf(answer)).toBe(words)
  expect(answer.setCookies).toEqual([])
  expect(answer.text).toContain('name="code"')
  expect(JSON.stringify(app.lines)).not.toContain('CDF2')
})

test('the name stays in the form after a wrong code, escaped, and the code does not', async () => {
  const { enter } = await startCodesApp({ settings: { asksName: 'required' } })
  const { text } = await enter('CDF2-GHJ-KM3', { name: '"><script>' })
  expect(text).toContain('value="&#34;&gt;&lt;script&gt;"')
  expect(text).not.toContain('CDF2')
})

test('a code in an address does nothing', async () => {
  const { app, create } = await startCodesApp()
  const [code = ''] = await create()
  const answer = await app.get(`/?prompt=access-code&code=${code}`)
  expect([answer.status, answer.text.includes(code)]).toEqual([200, false])
  expect((await app.get(`/access-code?code=${code}`)).status).toBe(405)
})

test('a post from another page is refused', async () => {
  const { create, enter } = await startCodesApp()
  const [code = ''] = await create()
  const answer = await enter(code, {}, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })
  expect([answer.status, answer.location]).toEqual([403, undefined])
})

test('a code of another entry point is a wrong code, and its session does not count there', async () => {
  const other = withCodes(entryPointAt('silver'))
  const { app, create, enter } = await startCodesApp({ entryPoints: [withCodes(ENTRY_POINT), other] })
  const [code = ''] = await create()
  const wrong = await app.post('/e/silver/access-code', { code })
  const unknown = await app.post('/e/silver/access-code', { code: 'CDF2-GHJ-KM3' })
  expect([wrong.status, withoutPage(wrong)]).toEqual([401, withoutPage(unknown)])
  const cookie = cookieIn(await enter(code))
  expect((await app.get('/e/silver', { Cookie: cookie })).status).toBe(200)
})

test('a viewer of a shared device gets no session', async () => {
  const { create, enter } = await startCodesApp()
  const [code = ''] = await create()
  const answer = await enter(code, { shared: 'on' })
  expect([answer.status, answer.setCookies]).toEqual([303, []])
})

test('the sign-in screen links to the form, which is the screen itself without a password form', async () => {
  const { app } = await startCodesApp()
  expect((await app.get('/')).text).toContain('id="use-access-code" href="/?prompt=access-code"')
  const form = await app.get('/?prompt=access-code')
  expect(form.text).toContain('action="/access-code"')
  expect(form.text).not.toContain('name="password"')
  const only = await startCodesApp({ entryPoints: [{ ...withCodes(ENTRY_POINT), hasPasswordForm: false }] })
  const screen = (await only.app.get('/')).text
  expect(screen).toContain('action="/access-code"')
  expect(screen).not.toContain('password')
})

test('no code, key or name of a form is in the log', async () => {
  const { app, create, enter } = await startCodesApp({ settings: { asksName: 'required' } })
  const [code = ''] = await create()
  await enter(code, { name: 'Ada' })
  await enter('WRNG-CDF-GHJ', { name: 'NAMEMARKER' })
  const log = JSON.stringify(app.lines)
  for (const secret of [code, code.replaceAll('-', ''), KEY, 'WRNG', 'NAMEMARKER']) expect(log).not.toContain(secret)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'wrong-code', level: 40 })
})

test('the store has no code', async () => {
  const { codes, create, records } = await startCodesApp()
  const [code = ''] = await create()
  const kinds = ['code', 'code-digest', 'code-batch']
  const stored = await Promise.all(kinds.map((kind) => records.list(kind, { limit: 100 })))
  expect(stored.map(({ length }) => length)).toEqual([1, 1, 1])
  expect(JSON.stringify(stored)).not.toContain(code.replaceAll('-', ''))
  expect(await codes.find(code)).toBe(null)
})

test('without access codes, there is no form and no route', async () => {
  const app = await startLoginApp()
  expect((await app.get('/')).text).not.toContain('access-code')
  expect((await app.post('/access-code', { code: 'CDF2-GHJ-KM3' })).status).toBe(404)
})

test('every language has its own words', () => {
  const words = LANGUAGES.map((language) => textsOf(language)['access-codes'].errors.wrongCode)
  expect(new Set(words).size).toBe(LANGUAGES.length)
})
