import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createLoopBreaker } from '../../src/login/loop-breaker.ts'
import { alertOf, expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { signIn } from './signed-in.ts'
import { ADA, CONSUMER, ENTRY_POINT, formOf, type LoginApp, startLoginApp } from './start-login-app.ts'

/** Frees what other test files left in this process. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

async function statusesOf(app: LoginApp, times: number, path: string, cookie: string): Promise<number[]> {
  const statuses: number[] = []
  for (let visit = 0; visit < times; visit += 1) statuses.push((await app.get(path, { Cookie: cookie })).status)
  return statuses
}

describe('a player that sends its viewer straight back', () => {
  test('gets three fresh responses within ten seconds; then the viewer is told, and the log what to check', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    app.clock.seconds += 1
    expect(await statusesOf(app, 2, '/', Cookie)).toEqual([303, 303])
    app.clock.seconds += 8
    const answer = await app.get('/', { Cookie })
    expectRefused(answer, 409)
    expect(alertOf(answer)).toContain(ADA.username)
    expect(answer.text).toContain('action="/cancel"')
    expect(answer.text).toContain('<a class="quiet" href="/">')
    expect(app.lines.at(-1)).toMatchObject({ level: 40, outcome: 'looping', viewer: ADA.username })
    expect(app.lines.at(-1)?.reason).toMatch(/secret.*parameters.*clocks/)
  })

  test('gets another one ten seconds after the first', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    expect(await statusesOf(app, 4, '/', Cookie)).toEqual([303, 303, 409, 409])
    app.clock.seconds += 9
    expect(await statusesOf(app, 1, '/', Cookie)).toEqual([409])
    app.clock.seconds += 1
    expect(await statusesOf(app, 4, '/', Cookie)).toEqual([303, 303, 303, 409])
  })

  test('is not held up while it comes back at an ordinary pace', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    for (let visit = 0; visit < 50; visit += 1) {
      app.clock.seconds += 5
      expect(await statusesOf(app, 1, '/', Cookie)).toEqual([303])
    }
  })

  test('gets a response when its viewer types the password again: that is no loop', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    expect(await statusesOf(app, 3, '/', Cookie)).toEqual([303, 303, 409])
    for (let again = 0; again < 5; again += 1) {
      responseOf((await app.post('/sign-in', ADA, { Cookie })).location)
    }
  })

  test('can be asked for somebody else meanwhile', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    expect(await statusesOf(app, 3, '/', Cookie)).toEqual([303, 303, 409])
    expect((await app.get('/?prompt=login', { Cookie })).status).toBe(200)
  })

  test('of one viewer does not hold up another', async () => {
    const app = await startLoginApp()
    const [first, second] = [await signIn(app), await signIn(app)]
    expect(await statusesOf(app, 3, '/', first)).toEqual([303, 303, 409])
    expect(await statusesOf(app, 2, '/', second)).toEqual([303, 303])
  })
})

describe('what is no loop', () => {
  test('is a player and a chat side by side', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    const chat = `/?${formOf({ hashConsumer: `${CONSUMER}authorize/1` })}`
    const questions = `/?${formOf({ hashConsumer: `${CONSUMER}authorize/2` })}`
    const visits = await Promise.all(
      ['/', chat, questions, '/', chat, questions, chat, questions].map((path) => app.get(path, { Cookie })),
    )
    expect(visits.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 303))
  })

  test('is several tabs with different contents', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    for (let id = 0; id < 20; id += 1) {
      expect(await statusesOf(app, 2, `/?ustreamContentId=${id}`, Cookie)).toEqual([303, 303])
      expect(await statusesOf(app, 1, `/?ustreamContentType=recorded&ustreamContentId=${id}`, Cookie)).toEqual([303])
    }
  })

  test('is two entry points that lead to one player', async () => {
    const entryPoints = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...ENTRY_POINT, name, basePath: `/e/${name}` }))
    const app = await startLoginApp({ entryPoints })
    const { setCookies } = await app.post('/e/a/sign-in', ADA)
    const Cookie = setCookies[0]?.split(';')[0] ?? ''
    const visits = await Promise.all(entryPoints.map(({ basePath }) => app.get(basePath, { Cookie })))
    expect(visits.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303])
  })

  test('is a screen that was only looked at', async () => {
    const app = await startLoginApp()
    const Cookie = await signIn(app)
    for (let look = 0; look < 10; look += 1) {
      await app.get('/', { Cookie, 'Sec-Fetch-Dest': 'empty' })
      await app.send('HEAD', '/', { Cookie })
    }
    expect(await statusesOf(app, 2, '/', Cookie)).toEqual([303, 303])
  })
})

test('what is remembered of loops is forgotten with time, however many viewers there were', () => {
  let now = 0
  const breaker = createLoopBreaker(() => now)
  for (let viewer = 0; viewer < 3000; viewer += 1) {
    now += 0.001
    breaker.countResponse(`viewer ${viewer}`)
  }
  for (let again = 0; again < 3; again += 1) breaker.countResponse('looping')
  expect(breaker.isLooping('looping')).toBe(true)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let round = 0; round < 300; round += 1) {
    now += 11
    for (let viewer = 0; viewer < 1000; viewer += 1)
      breaker.countResponse(`round ${round} viewer ${viewer} ${'x'.repeat(200)}`)
  }
  expect(breaker.isLooping('looping')).toBe(false)
  collectGarbage()
  // Kept, the 300,000 keys would take 100 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000)
})
