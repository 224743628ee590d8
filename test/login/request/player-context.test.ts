import { expect, test } from 'vitest'
import { CONSUMER, ENTRY_POINT } from '../entry-point.ts'
import { hiddenFieldsOf, withoutPage } from '../hidden-fields.ts'
import { expectRefused, unescaped } from '../refused-answer.ts'
import { responseOf } from '../response-of.ts'
import { signIn } from '../signed-in.ts'
import { ADA, formOf, startLoginApp } from '../start-login-app.ts'

const CHAT = `${CONSUMER}authorize/7?resource=%2Fchat%2F7&b=~%20+a`
const CONTENT = { ustreamContentType: 'channel', ustreamContentId: '12345' }
const ALL = { hashConsumer: CHAT, ...CONTENT }

test('the fields of the player are in every form of the screen', async () => {
  const app = await startLoginApp()
  const answer = await app.get(`/?${formOf(ALL)}`)
  expect(answer.status).toBe(200)
  expect(hiddenFieldsOf(answer)).toEqual([
    { action: '/sign-in', fields: ALL },
    { action: '/cancel', fields: ALL },
  ])
})

test.each([
  ['a wrong password', { ...ADA, password: 'wrong' }, 401],
  ['an empty form', { username: '', password: '' }, 400],
  ['control characters', { username: 'a\0', password: 'x' }, 400],
])('the fields of the player survive %s, and the response goes to the consumer', async (_case, form, status) => {
  const app = await startLoginApp()
  for (let round = 0; round < 3; round += 1) {
    const refused = await app.post('/sign-in', { ...form, ...ALL })
    expectRefused(refused, status)
    expect(hiddenFieldsOf(refused).map(({ fields }) => fields)).toEqual([ALL, ALL])
  }
  const passed = await app.post('/sign-in', { ...ADA, ...ALL })
  expect(responseOf(passed.location).address).toBe(CHAT)
})

test('the fields of the player survive a refused repeated field', async () => {
  const app = await startLoginApp()
  const refused = await app.post('/sign-in', `${formOf(ALL)}&username=a&username=b&password=x`)
  expectRefused(refused, 400)
  expect(hiddenFieldsOf(refused).map(({ fields }) => fields)).toEqual([ALL, ALL])
})

test('the fields of the player survive a fault of the user store and a wait', async () => {
  const app = await startLoginApp()
  app.users.fail(new Error('down'))
  const down = await app.post('/sign-in', { ...ADA, ...ALL })
  expect(hiddenFieldsOf(down).map(({ fields }) => fields)).toEqual([ALL, ALL])
  app.users.fail(null)
  const tries = Array.from({ length: 8 }, () => app.post('/sign-in', { ...ADA, password: 'no', ...ALL }))
  const waiting = (await Promise.all(tries)).find(({ status }) => status === 429)
  expect(waiting && hiddenFieldsOf(waiting).map(({ fields }) => fields)).toEqual([ALL, ALL])
})

test('the screen for a viewer who may not watch keeps the fields of the player in its form and its link', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, allowedGroups: ['gold'] }] })
  const refused = await app.post('/sign-in', { ...ADA, ...ALL })
  expectRefused(refused, 403)
  expect(hiddenFieldsOf(refused)).toEqual([{ action: '/cancel', fields: ALL }])
  const link = unescaped(/<a class="primary" href="([^"]*)"/.exec(refused.text)?.[1] ?? '')
  expect(Object.fromEntries(new URLSearchParams(link.split('?')[1]))).toEqual({ ...ALL, prompt: 'other-account' })
  expect((await app.post('/cancel', ALL)).location).toBe(`${CHAT}&hash=false`)
})

test('the fields of the player survive a sign-out', async () => {
  const app = await startLoginApp()
  const signedOut = await app.post('/sign-out', ALL, { Cookie: await signIn(app) })
  expect(signedOut.status).toBe(303)
  expect(signedOut.location?.startsWith('/?')).toBe(true)
  expect(hiddenFieldsOf(await app.get(signedOut.location ?? ''))[0]?.fields).toEqual(ALL)
})

test('a player that sends no fields gets no hidden fields and its configured address', async () => {
  const app = await startLoginApp()
  expect(hiddenFieldsOf(await app.get('/')).map(({ fields }) => fields)).toEqual([{}, {}])
  expect((await app.post('/cancel', '')).location).toBe(
    'https://player.example/embed/hashlock/pass?keep=a%20b&hash=false',
  )
})

test.each([
  ['neither body nor type', {}],
  ['the type of a form and no body', { 'Content-Type': 'application/x-www-form-urlencoded' }],
])('a cancel with %s leads to the configured address', async (_case, headers) => {
  const app = await startLoginApp()
  expect(await app.post('/cancel', undefined, headers)).toMatchObject({
    status: 303,
    location: 'https://player.example/embed/hashlock/pass?keep=a%20b&hash=false',
  })
})

test.each(['/continue', '/cancel', '/sign-out'])('a post to %s that is not a form gives 415', async (path) => {
  const app = await startLoginApp()
  const answer = await app.post(path, JSON.stringify(ALL), { 'Content-Type': 'application/json' })
  expect(answer).toMatchObject({ status: 415, location: undefined })
})

test('unknown parameters do not change the screen', async () => {
  const app = await startLoginApp()
  const answer = await app.get('/?utm_source=x&__proto__=y&constructor=z&hashconsumer=https://evil.example/')
  expect(answer.status).toBe(200)
  expect(withoutPage(answer)).toBe(withoutPage(await app.get('/')))
})

test.each([
  ['of 65 characters', 'x'.repeat(65)],
  ['with a space', 'a b'],
  ['with a non-ASCII letter', 'ä'],
  ['with a newline', 'a\nb'],
  ['with bytes that are not UTF-8', '\ufffd'],
  ['of no characters', ''],
])('the name of a channel or video %s is refused with a screen', async (_case, value) => {
  const app = await startLoginApp()
  for (const name of ['ustreamContentType', 'ustreamContentId']) {
    const fields = { [name]: value }
    for (const answer of [
      await app.get(`/?${formOf(fields)}`),
      await app.post('/sign-in', { ...ADA, ...fields }),
      await app.post('/continue', fields),
      await app.post('/cancel', fields),
      await app.post('/sign-out', fields),
    ]) {
      expectRefused(answer, 400)
      expect(answer.text).not.toContain('class="primary"')
    }
    expect(app.lines.at(-1)?.reason).toContain(name)
  }
})

test('the name of a channel or video that is sent twice is refused', async () => {
  const app = await startLoginApp()
  expectRefused(await app.get('/?ustreamContentId=1&ustreamContentId=1'), 400)
  expectRefused(await app.post('/sign-in', `${formOf(ADA)}&ustreamContentId=1&ustreamContentId=2`), 400)
})

test('quotes and tags in the name of a channel or video are escaped', async () => {
  const app = await startLoginApp()
  const ustreamContentId = `"><script>alert('1')</script>&amp;`
  const answer = await app.get(`/?${formOf({ ustreamContentId })}`)
  expect(answer.text).not.toContain('<script>')
  expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ustreamContentId })
})

test('the chosen language is in every form and link, and wins over the browser', async () => {
  const app = await startLoginApp()
  const german = { 'Accept-Language': 'de' }
  const chosen = { ...ALL, lang: 'ja' }
  const fresh = await app.get(`/?${formOf(chosen)}`, german)
  expect(fresh.text).toContain('<html lang="ja"')
  expect(hiddenFieldsOf(fresh).map(({ fields }) => fields)).toEqual([chosen, chosen])
  const refused = await app.post('/sign-in', { ...ADA, password: 'wrong', ...chosen }, german)
  expect(refused.text).toContain('<html lang="ja"')
  expect(hiddenFieldsOf(refused).map(({ fields }) => fields)).toEqual([chosen, chosen])
  const Cookie = await signIn(app)
  const signedOut = await app.post('/sign-out', chosen, { Cookie })
  expect(new URLSearchParams(signedOut.location?.split('?')[1]).get('lang')).toBe('ja')
})

test('the chosen language reaches neither the player nor the response', async () => {
  const app = await startLoginApp()
  const withLanguage = await app.post('/sign-in', { ...ADA, ...ALL, lang: 'ja' })
  expect(withLanguage.location).toBe((await app.post('/sign-in', { ...ADA, ...ALL })).location)
  expect((await app.post('/cancel', { ...ALL, lang: 'ja' })).location).toBe(`${CHAT}&hash=false`)
})

test('a refusal without the fields of the player is in the chosen language too', async () => {
  const app = await startLoginApp()
  expect((await app.get('/?lang=de&hashConsumer=x')).text).toContain('<html lang="de"')
  expect((await app.post('/cancel', { lang: 'de', hashConsumer: 'x' })).text).toContain('<html lang="de"')
  const nowhere = await app.get('/nowhere?lang=de')
  expect(nowhere.text).toContain('<html lang="de"')
  expect(nowhere.text).toContain('href="/?lang=de"')
})

test.each(['tlh', '', 'x-y', 'de_DE', '"><script>', 'd'.repeat(5_000)])(
  'the unknown language %j is ignored and not carried along',
  async (lang) => {
    const app = await startLoginApp()
    const answer = await app.get(`/?${formOf({ lang })}`, { 'Accept-Language': 'ja' })
    expect(answer.text).toContain('<html lang="ja"')
    expect(hiddenFieldsOf(answer).map(({ fields }) => fields)).toEqual([{}, {}])
  },
)

test('a repeated language is ignored', async () => {
  const app = await startLoginApp()
  for (const answer of [await app.get('/?lang=de&lang=ja'), await app.post('/sign-in?lang=de', 'lang=de&lang=ja')]) {
    expect(answer.text).toContain('<html lang="en"')
  }
})
