import { Agent, get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { OverloadedError } from '../../src/errors.ts'
import { createRepeatFilter } from '../../src/server/log/repeat-filter.ts'
import { ENTRY_POINT, entryPointAt } from './entry-point.ts'
import { STORE_DOWN } from './memory-users.ts'
import { signIn } from './signed-in.ts'
import { ADA, type LoginApp, startLoginApp } from './start-login-app.ts'

const WRONG = { username: ADA.username, password: 'wrong' }

/** Requests the path a number of times, on 20 connections. */
async function repeat({ port }: LoginApp, path: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  onTestFinished(() => agent.destroy())
  const request = () =>
    new Promise<void>((resolve, reject) => {
      get({ port, path, agent }, (response) => void response.resume().once('end', resolve)).once('error', reject)
    })
  await Promise.all(Array.from({ length: times }, request))
}

test('refused requests without credentials are summed, and a wrong password among them has its line', async () => {
  const repeatFilter = createRepeatFilter()
  const app = await startLoginApp({ repeatFilter })
  const wrong = () => app.post('/sign-in', WRONG)
  await Promise.all([repeat(app, '/?hashConsumer=x', 300), wrong(), wrong()])
  repeatFilter.end()
  expect(app.lines).toHaveLength(4)
  expect(app.lines.map(({ outcome }) => outcome).toSorted()).toEqual([
    'refused-request',
    'refused-request',
    'wrong-credentials',
    'wrong-credentials',
  ])
  expect(app.lines.filter(({ more }) => more !== undefined)).toHaveLength(1)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', address: '127.0.0.1', more: 299 })
})

test('readiness says once a minute that a store is away, and each sign-in that fails has its line', async () => {
  const repeatFilter = createRepeatFilter()
  const app = await startLoginApp({ repeatFilter })
  app.users.fail(STORE_DOWN)
  const names = Array.from({ length: 20 }, (_, number) => `viewer-${number}`)
  const signIns = names.map((username) => app.post('/sign-in', { username, password: 'x' }))
  await Promise.all([repeat(app, '/health/ready', 300), ...signIns])
  repeatFilter.end()
  const [first, sum, ...others] = app.lines.filter(({ event }) => event === 'not-ready')
  expect([first, sum, others]).toMatchObject([{ err: { name: 'UpstreamError' } }, { more: 299 }, []])
  const failed = app.lines.filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ viewer }) => String(viewer)).toSorted()).toEqual(names.toSorted())
  expect(failed.filter(({ err }) => err !== undefined)).toHaveLength(1)
  expect(failed.filter(({ reason }) => reason === STORE_DOWN.message)).toHaveLength(19)
})

test('the same viewer at a limit has one line a minute, and other viewers have their own', async () => {
  const repeatFilter = createRepeatFilter()
  const app = await startLoginApp({ repeatFilter })
  for (let tries = 0; tries < 20; tries += 1) await app.post('/sign-in', WRONG)
  for (let tries = 0; tries < 7; tries += 1) await app.post('/sign-in', { ...WRONG, username: 'eve' })
  repeatFilter.end()
  const limited = app.lines.filter(({ outcome }) => outcome === 'held-back')
  const [wrongOfAda, wrongOfEve] = [ADA.username, 'eve'].map(
    (name) => app.lines.filter(({ outcome, viewer }) => outcome === 'wrong-credentials' && viewer === name).length,
  )
  expect([wrongOfAda, wrongOfEve]).toEqual([5, 5])
  expect(limited).toMatchObject([{ viewer: ADA.username }, { viewer: 'eve' }, { more: 15 }])
})

test('an overload has 100 lines a minute, also with viewers at many addresses', async () => {
  const repeatFilter = createRepeatFilter()
  const app = await startLoginApp({ repeatFilter, trustProxyHops: 1 })
  app.users.fail(new OverloadedError('2 wait', 2))
  for (let viewer = 1; viewer <= 130; viewer += 1) {
    const form = { username: `viewer-${viewer}`, password: 'x' }
    await app.post('/sign-in', form, { 'X-Forwarded-For': `192.0.2.${viewer}` })
  }
  repeatFilter.end()
  expect(app.lines).toHaveLength(101)
  expect(app.lines[0]).toMatchObject({ outcome: 'overloaded', viewer: 'viewer-1', address: '192.0.2.1' })
  expect(app.lines[100]).toMatchObject({ outcome: 'overloaded', more: 30 })
})

test('a returning viewer who is not entitled has one line a minute, and each right password its own', async () => {
  const repeatFilter = createRepeatFilter()
  const gold = entryPointAt('gold', { allowedGroups: ['gold'] })
  const app = await startLoginApp({ repeatFilter, entryPoints: [ENTRY_POINT, gold] })
  const cookie = await signIn(app)
  for (let times = 0; times < 5; times += 1) {
    await app.get('/e/gold', { Cookie: cookie })
    await app.post('/e/gold/continue', '', { Cookie: cookie })
  }
  for (let times = 0; times < 3; times += 1) await app.post('/e/gold/sign-in', ADA)
  repeatFilter.end()
  const denied = app.lines.filter(({ outcome }) => outcome === 'not-entitled')
  expect(denied.map(({ more }) => more)).toEqual([undefined, undefined, undefined, undefined, 9])
})

test.each([
  ['/cancel', '', {}],
  ['/sign-out', '', {}],
  ['/sign-in', WRONG, { Origin: 'https://evil.example' }],
  ['/sign-in', '', {}],
])('posts to %s with the body %j are summed', async (path, form, headers) => {
  const repeatFilter = createRepeatFilter()
  const app = await startLoginApp({ repeatFilter })
  for (let times = 0; times < 10; times += 1) await app.post(path, form, headers)
  repeatFilter.end()
  expect(app.lines.map(({ more }) => more)).toEqual([undefined, 9])
})
