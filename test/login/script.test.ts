import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OverloadedError } from '../../src/errors.ts'
import { textsOf } from '../../src/languages/languages.ts'
import { scriptAttributes } from '../../src/login/screens/script-attributes.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { cookieIn } from './signed-in.ts'
import { ADA, startLoginApp } from './start-login-app.ts'

const SCRIPT = { Accept: 'application/json' }
const HTML = 'text/html; charset=utf-8'

test('the script gets the address of the redirect, with the same headers and a cookie', async () => {
  const app = await startLoginApp()
  const plain = await app.post('/sign-in', ADA)
  const answer = await app.post('/sign-in', ADA, SCRIPT)
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toEqual({ location: plain.location })
  expect(plain.location).toMatch(/^https:\/\/player\.example\/.*&hash=%5B/)
  expect(answer.headers).toEqual({
    ...plain.headers,
    location: undefined,
    date: expect.anything(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(answer.text)),
  })
  const session = await app.get('/', { Cookie: cookieIn(answer), 'Sec-Fetch-Dest': 'iframe' })
  expect(session.location).toBe(plain.location)
})

test('refusals are screens for the script too', async () => {
  const app = await startLoginApp()
  const answers = [await app.post('/sign-in', { ...ADA, password: 'x' }, SCRIPT)]
  app.users.fail(new OverloadedError('the queue is full', 2))
  answers.push(await app.post('/sign-in', ADA, SCRIPT))
  expect(answers.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
    [401, HTML],
    [503, HTML],
  ])
})

test('no page of another site gets an address', async () => {
  const app = await startLoginApp()
  for (const site of ['cross-site', 'same-site']) {
    const answer = await app.post('/sign-in', ADA, { ...SCRIPT, 'Sec-Fetch-Site': site })
    expect([answer.status, answer.headers['content-type']]).toEqual([403, HTML])
    expect(answer.text).not.toContain('hash')
  }
})

test('a session alone gives no address to a script', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  const fetched = { ...SCRIPT, Cookie, 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Site': 'same-origin' }
  for (const answer of [await app.get('/', fetched), await app.post('/continue', '', fetched)]) {
    expect([answer.status, answer.headers['content-type']]).toEqual([200, HTML])
    expect(answer.text).not.toContain('hash=')
  }
  expect((await app.get('/', { ...SCRIPT, Cookie })).status).toBe(303)
})

test('an entry point without the script answers as always', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, hasScript: false }] })
  expect((await app.post('/sign-in', ADA, SCRIPT)).status).toBe(303)
})

test.each([
  [429, { text: 'tooManyTries', retryAfterSeconds: 5 }, { after: 5, unit: 1 }],
  [429, { text: 'tooManyTriesMinutes', retryAfterSeconds: 600 }, { after: 600, unit: 60 }],
  [
    503,
    { text: 'overloaded', retryAfterSeconds: 2 },
    { after: 2, unit: 1, automatic: textsOf('pl').script.retryOverloaded },
  ],
  [
    503,
    { text: 'storeDown', retryAfterSeconds: 30 },
    { after: 30, unit: 1, automatic: textsOf('pl').script.retryStoreDown },
  ],
] as const)(
  'the form tells the script of a %i how to count, in every plural form (%o)',
  (_status, refusal, expected) => {
    const [, json = ''] = /data-retry="([^"]*)"/.exec(scriptAttributes('pl', refusal)) ?? []
    const countdown = JSON.parse(json.replaceAll('&#34;', '"'))
    expect(countdown).toMatchObject(expected)
    expect('automatic' in countdown).toBe('automatic' in expected)
    const categories = new Intl.PluralRules('pl').resolvedOptions().pluralCategories
    expect(Object.keys(countdown.byHand).toSorted()).toEqual(categories.toSorted())
  },
)

test('the script has less than 4 kB', () => {
  expect(statSync(new URL('../../public/login.js', import.meta.url)).size).toBeLessThan(4000)
})
