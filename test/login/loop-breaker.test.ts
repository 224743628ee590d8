import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createLoopBreaker } from '../../src/login/answer/loop-breaker.ts'
import { CONSUMER, entryPointAt } from './entry-point.ts'
import { alertOf, expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { signIn } from './signed-in.ts'
import { ADA, formOf, type LoginApp, startLoginApp } from './start-login-app.ts'

/** Frees the memory of earlier test files in this process. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

async function statusesOf(app: LoginApp, times: number, path: string, cookie: string): Promise<number[]> {
  const statuses: number[] = []
  for (let visit = 0; visit < times; visit += 1) statuses.push((await app.get(path, { Cookie: cookie })).status)
  return statuses
}

test('a player that sends its viewer straight back gets three responses, then a screen and a log line', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  app.clock.seconds += 1
  expect(await statusesOf(app, 2, '/', Cookie)).toEqual([303, 303])
  app.clock.seconds += 8
  const answer = await app.get('/', { Cookie })
  expectRefused(answer, 409)
  expect(alertOf(answer)).toContain(ADA.username)
  expect(answer.text).toContain('action="/cancel"')
  expect(answer.text).toContain('<a class="primary" href="/">')
  expect(app.lines.at(-1)).toMatchObject({ level: 40, outcome: 'looping', viewer: ADA.username })
  expect(app.lines.at(-1)?.reason).toMatch(/secret.*parameters.*clocks/)
})

test('a player gets another response ten seconds after the first', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  expect(await statusesOf(app, 4, '/', Cookie)).toEqual([303, 303, 409, 409])
  app.clock.seconds += 9
  expect(await statusesOf(app, 1, '/', Cookie)).toEqual([409])
  app.clock.seconds += 1
  expect(await statusesOf(app, 4, '/', Cookie)).toEqual([303, 303, 303, 409])
})

test('a player that comes back at an ordinary pace is not stopped', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  for (let visit = 0; visit < 50; visit += 1) {
    app.clock.seconds += 5
    expect(await statusesOf(app, 1, '/', Cookie)).toEqual([303])
  }
})

test('a viewer who types the password again gets a response during a loop', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  expect(await statusesOf(app, 3, '/', Cookie)).toEqual([303, 303, 409])
  for (let again = 0; again < 5; again += 1) {
    responseOf((await app.post('/sign-in', ADA, { Cookie })).location)
  }
})

test('another viewer can sign in during a loop', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  expect(await statusesOf(app, 3, '/', Cookie)).toEqual([303, 303, 409])
  expect((await app.get('/?prompt=login', { Cookie })).status).toBe(200)
})

test('a loop of one viewer does not stop another viewer', async () => {
  const app = await startLoginApp()
  const first = await signIn(app)
  const second = await signIn(app)
  expect(await statusesOf(app, 3, '/', first)).toEqual([303, 303, 409])
  expect(await statusesOf(app, 2, '/', second)).toEqual([303, 303])
})

test('a player and a chat on one page are not a loop', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  const chat = `/?${formOf({ hashConsumer: `${CONSUMER}authorize/1` })}`
  const questions = `/?${formOf({ hashConsumer: `${CONSUMER}authorize/2` })}`
  const visits = await Promise.all(
    ['/', chat, questions, '/', chat, questions, chat, questions].map((path) => app.get(path, { Cookie })),
  )
  expect(visits.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 303))
})

test('several tabs with different contents are not a loop', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  for (let id = 0; id < 20; id += 1) {
    expect(await statusesOf(app, 2, `/?ustreamContentId=${id}`, Cookie)).toEqual([303, 303])
    expect(await statusesOf(app, 1, `/?ustreamContentType=recorded&ustreamContentId=${id}`, Cookie)).toEqual([303])
  }
})

test('two entry points with the same player are not a loop', async () => {
  const entryPoints = ['a', 'b', 'c', 'd', 'e'].map((name) => entryPointAt(name))
  const app = await startLoginApp({ entryPoints })
  const { setCookies } = await app.post('/e/a/sign-in', ADA)
  const Cookie = setCookies[0]?.split(';')[0] ?? ''
  const visits = await Promise.all(entryPoints.map(({ basePath }) => app.get(basePath, { Cookie })))
  expect(visits.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303])
})

test('screens without a sign-in are not a loop', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  for (let look = 0; look < 10; look += 1) {
    await app.get('/', { Cookie, 'Sec-Fetch-Dest': 'empty' })
    await app.send('HEAD', '/', { Cookie })
  }
  expect(await statusesOf(app, 2, '/', Cookie)).toEqual([303, 303])
})

test('a player that comes back with another query each time is stopped after 100 responses', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  const another = await signIn(app)
  const statuses: number[] = []
  for (let turn = 0; turn < 120; turn += 1) {
    app.clock.seconds += 0.2
    const query = turn % 2 === 0 ? { ustreamContentId: `${turn}` } : { hashConsumer: `${CONSUMER}?at=${turn}` }
    statuses.push((await app.get(`/?${formOf(query)}`, { Cookie })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 99 }, () => 303), ...Array.from({ length: 21 }, () => 409)])
  expect(await statusesOf(app, 1, '/', another)).toEqual([303])
  // The first response counts for a minute, and 24 seconds have passed.
  app.clock.seconds += 35.9
  expect(await statusesOf(app, 1, '/', Cookie)).toEqual([409])
  app.clock.seconds += 0.2
  expect(await statusesOf(app, 1, '/', Cookie)).toEqual([303])
})

test('a clock that was set back ends a loop, and stops no viewer', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  app.clock.seconds += 1
  expect(await statusesOf(app, 3, '/', Cookie)).toEqual([303, 303, 409])
  app.clock.seconds -= 3600
  expect(await statusesOf(app, 4, '/', Cookie)).toEqual([303, 303, 303, 409])
})

test('the memory of the loop breaker stays bounded, with long and changing addresses', () => {
  let now = 0
  const breaker = createLoopBreaker(() => now)
  const fill = (from: number, count: number) => {
    for (let turn = from; turn < from + count; turn += 1) {
      breaker.countAnswer(`session ${turn}`, `https://chat.example/${turn}/${'x'.repeat(2000)}`)
    }
  }
  fill(0, 1000)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  fill(1000, 150_000)
  collectGarbage()
  // Without hashing, or without a limit, the keys would take more.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(27_000_000)
  for (let again = 0; again < 3; again += 1) breaker.countAnswer('session', 'looping')
  expect(breaker.isLooping('session', 'looping', 3)).toBe(true)
  now += 120
  fill(0, 1)
  now += 120
  fill(0, 1)
  expect(breaker.isLooping('session', 'looping', 3)).toBe(false)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000)
})
