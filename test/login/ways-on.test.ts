import { expect, test } from 'vitest'
import { UNBRANDED } from '../../src/brand/brand.ts'
import type { EntryPoint } from '../../src/entry-points/entry-point.ts'
import { OverloadedError } from '../../src/errors.ts'
import { CONSUMER, ENTRY_POINT } from './entry-point.ts'
import { STORE_DOWN } from './memory-users.ts'
import { signIn } from './signed-in.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from './start-login-app.ts'

const HELP = 'https://help.example/login'
const HELPED: EntryPoint = { ...ENTRY_POINT, brand: { ...UNBRANDED, helpUrl: HELP } }
/** The player's fields, which every way on keeps. */
const FIELDS = { hashConsumer: `${CONSUMER}authorize/1`, ustreamContentId: '7' }
const QUERY = `?${new URLSearchParams(FIELDS)}`

const reasonOf = ({ text }: Answer) => /<meta name="reason" content="([^"]*)">/.exec(text)?.[1] ?? ''
/** The addresses of links that stay in the frame. */
const linksIn = ({ text }: Answer) =>
  [...text.matchAll(/<a (?![^>]*target=)[^>]*href="([^"]*)"/g)].map(([, address = '']) => address)
const actionsIn = ({ text }: Answer) => [...text.matchAll(/action="([^"]*)"/g)].map(([, address = '']) => address)

async function loop(app: LoginApp): Promise<Answer> {
  const Cookie = await signIn(app, { ...ADA, ...FIELDS })
  for (let visit = 0; visit < 2; visit += 1) await app.get(`/${QUERY}`, { Cookie })
  return await app.get(`/${QUERY}`, { Cookie })
}

async function returnWhile(app: LoginApp, change: () => void): Promise<Answer> {
  const Cookie = await signIn(app)
  change()
  return await app.get(`/${QUERY}`, { Cookie })
}

type Case = readonly [string, number, (app: LoginApp) => Promise<Answer>]
const form = (changes: object) => ({ ...ADA, ...FIELDS, ...changes })
const withFields: Case[] = [
  ['wrong-credentials', 401, (app) => app.post('/sign-in', form({ password: 'wrong' }))],
  ['empty-fields', 400, (app) => app.post('/sign-in', form({ password: '' }))],
  ['not-from-own-page', 403, (app) => app.post('/sign-in', form({}), { 'Sec-Fetch-Site': 'cross-site' })],
  [
    'disabled',
    403,
    (app) => {
      app.users.disable(ADA.username)
      return app.post('/sign-in', form({}))
    },
  ],
  [
    'overloaded',
    503,
    (app) => {
      app.users.fail(new OverloadedError('full', 2))
      return app.post('/sign-in', form({}))
    },
  ],
  ['store-down', 503, (app) => returnWhile(app, () => app.users.fail(STORE_DOWN))],
  ['internal', 500, (app) => returnWhile(app, () => app.users.fail(new Error('INTERNAL fault')))],
  ['loop', 409, loop],
]
test.each(withFields)(
  'the screen %s (%i) leads on with the fields of the player, and to help',
  async (reason, status, send) => {
    const answer = await send(await startLoginApp({ entryPoints: [HELPED] }))
    expect(answer.status).toBe(status)
    expect(reasonOf(answer)).toBe(reason)
    expect(actionsIn(answer)).toContain('/cancel')
    expect(answer.text).toContain(`name="hashConsumer" value="${FIELDS.hashConsumer}"`)
    const isForm = actionsIn(answer).includes('/sign-in')
    if (!isForm) expect(linksIn(answer)).toEqual([`/${QUERY}`.replaceAll('&', '&amp;')])
    expect(answer.text).toContain(`href="${HELP}" target="_blank" rel="noopener"`)
  },
)

test('the screen for a viewer who may not watch leads to another account, to the player and to help', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...HELPED, allowedGroups: ['gold'] }] })
  const answer = await app.post('/sign-in', form({}))
  expect(reasonOf(answer)).toBe('not-entitled')
  expect(linksIn(answer)).toEqual([`/${QUERY}&prompt=other-account`.replaceAll('&', '&amp;')])
  expect(actionsIn(answer)).toEqual(['/cancel'])
  expect(answer.text).toContain(`href="${HELP}"`)
})

test('too many attempts have one reason, in seconds and in minutes', async () => {
  const app = await startLoginApp({
    signInLimits: {
      admit: () => Promise.resolve({ ok: false, limit: 'account', retryAfterSeconds: app.clock.seconds }),
    },
  })
  for (const seconds of [5, 600]) {
    app.clock.seconds = seconds
    expect(reasonOf(await app.post('/sign-in', ADA))).toBe('too-many-tries')
  }
})

// Only the player can send another address.
const wrongAddresses: Case[] = [
  ['bad-consumer', 400, (app) => app.get('/?hashConsumer=https%3A%2F%2Fevil.example%2F')],
  ['bad-content', 400, (app) => app.get('/?ustreamContentId=a%20b')],
]
test.each(wrongAddresses)('the screen %s (%i) leads only to help', async (reason, status, send) => {
  const answer = await send(await startLoginApp({ entryPoints: [HELPED] }))
  expect(answer.status).toBe(status)
  expect(reasonOf(answer)).toBe(reason)
  expect(linksIn(answer)).toEqual([])
  expect(answer.text).not.toContain('evil.example')
  expect(answer.text).toContain(`href="${HELP}" target="_blank" rel="noopener"`)
})

const withoutFields: Case[] = [
  ['wrong-type', 415, (app) => app.post('/sign-in', '{}', { 'Content-Type': 'application/json' })],
  ['too-large', 413, (app) => app.post('/sign-in', 'x'.repeat(100_000))],
  ['method-not-allowed', 405, (app) => app.get('/sign-in')],
  ['not-found', 404, (app) => app.get('/nowhere')],
]
test.each(withoutFields)('the screen %s (%i) leads on, and to help', async (reason, status, send) => {
  const answer = await send(await startLoginApp({ entryPoints: [HELPED] }))
  expect(answer.status).toBe(status)
  expect(reasonOf(answer)).toBe(reason)
  expect(linksIn(answer)).toHaveLength(1)
  expect(answer.text).toContain(`href="${HELP}" target="_blank" rel="noopener"`)
})

test('an unknown page leads to the screen and the help of its entry point, and any other page to the video', async () => {
  const named = { ...HELPED, name: 'gold', basePath: '/e/gold' }
  const app = await startLoginApp({ entryPoints: [named] })
  const answer = await app.get('/e/gold/nowhere')
  expect(answer.status).toBe(404)
  expect(linksIn(answer)).toEqual(['/e/gold'])
  expect(answer.text).toContain(`href="${HELP}"`)
  const elsewhere = await app.get('/e/silver')
  expect(elsewhere.text).not.toContain(HELP)
  expect([linksIn(elsewhere), elsewhere.text]).toEqual([[], expect.stringContaining('Open the video again.')])
})

test('a screen without a refusal names no reason', async () => {
  const app = await startLoginApp()
  expect(reasonOf(await app.get('/'))).toBe('')
  expect(reasonOf(await app.get('/?prompt=login', { Cookie: await signIn(app) }))).toBe('')
})
