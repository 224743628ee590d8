import { expect, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { features } from '../../../../src/features.ts'
import { openSqliteSessionStore } from '../../../../src/sessions/sqlite-store.ts'
import { ENTRY_POINT, entryPointAt } from '../../../login/entry-point.ts'
import { responseOf } from '../../../login/response-of.ts'
import { ADA, SESSION_LIMITS, START_SECONDS } from '../../../login/start-login-app.ts'
import { withDoors } from '../entry-point.ts'
import { CLOSES, expectWaiting, OPENS, passIn, reasonOf, startWaiting, WAITING } from './waiting.ts'

const HOUR = 3600
const WAITING_LONG = {
  ...WAITING,
  windows: [{ opensAtSeconds: START_SECONDS + HOUR, closesAtSeconds: START_SECONDS + 2 * HOUR }],
}

test('the same pass serves for some minutes, and then the page brings a new one', async () => {
  const app = await startWaiting()
  const first = await app.enter()
  app.clock.seconds += 239
  const second = await app.reload(first)
  expect(passIn(second)).toBe(passIn(first))
  app.clock.seconds += 1
  const third = await app.reload(second)
  expect(passIn(third)).not.toBe(passIn(second))
  expectWaiting(await app.reload(third))
})

test('an open page waits for hours, and a page that was left does not pass on', async () => {
  const app = await startWaiting()
  app.moveDoor(START_SECONDS + HOUR, CLOSES)
  const left = await app.enter()
  let page = left
  for (let seconds = 0; seconds < HOUR; seconds += 240) {
    page = await app.reload(page)
    expectWaiting(page)
    app.clock.seconds += 240
  }
  expect((await app.reload(left)).location).toBeUndefined()
  expect(responseOf((await app.reload(page)).location).parameters).toEqual([['user', ADA.username]])
  expect(app.users.asked).toHaveLength(1)
})

test('a reload reads no store', async () => {
  const app = await startWaiting()
  const page = await app.enter()
  app.users.fail(new Error('The store must not be asked'))
  app.clock.seconds += 300
  expectWaiting(await app.reload(page))
})

test('the sign-in ends with the lifetime of a session', async () => {
  const app = await startWaiting({
    entryPoints: [
      withDoors(ENTRY_POINT, {
        ...WAITING,
        windows: [{ opensAtSeconds: START_SECONDS + 9 * HOUR, closesAtSeconds: null }],
      }),
    ],
  })
  let page = await app.enter()
  for (let minutes = 10; minutes < 480; minutes += 10) {
    app.clock.seconds += 600
    page = await app.reload(page)
    expectWaiting(page)
  }
  app.clock.seconds += 600
  const answer = await app.reload(page)
  expect([reasonOf(answer), answer.text.includes(`value="${ADA.username}"`)]).toEqual([undefined, true])
})

test('a door that moves later keeps viewers, and one that moves earlier lets them pass', async () => {
  const app = await startWaiting()
  const page = await app.enter()
  app.moveDoor(OPENS + 900, CLOSES)
  app.clock.seconds = OPENS + 1
  const later = await app.reload(page)
  expectWaiting(later)
  expect(later.text).toContain('3:58 AM')
  app.moveDoor(OPENS + 60, CLOSES)
  app.clock.seconds = OPENS + 60
  expect(responseOf((await app.reload(later)).location).parameters).toEqual([['user', ADA.username]])
})

test('a page that is open keeps its session from ending', async () => {
  let seconds = START_SECONDS
  const limits = { ...SESSION_LIMITS, idleSeconds: 900 }
  const app = await startWaiting({
    sessionStore: openSqliteSessionStore(':memory:', limits, () => seconds),
    nowSeconds: () => seconds,
    entryPoints: [withDoors(ENTRY_POINT, WAITING_LONG), entryPointAt('open')],
  })
  const Cookie = String((await app.post('/e/open/sign-in', ADA)).setCookies[0]?.split(';')[0])
  let page = await app.get('/', { Cookie })
  for (; seconds < START_SECONDS + 3_300; seconds += 300) {
    expectWaiting(page)
    page = await app.reload(page, { Cookie })
  }
  seconds = START_SECONDS + HOUR
  expect((await app.reload(page, { Cookie })).status).toBe(303)
})

test('a store of logouts that is away ends no pass', async () => {
  let isAway = false
  const hasEnded = () => (isAway ? Promise.reject(new UpstreamError('flows', 'No answer')) : Promise.resolve(false))
  const asking = { name: 'asking', open: async () => ({ at: () => ({}), hasEnded }) }
  const app = await startWaiting({ features: [...features, asking] })
  const page = await app.enter()
  app.clock.seconds += 300
  isAway = true
  const same = await app.reload(page)
  expectWaiting(same)
  expect(passIn(same)).toBe(passIn(page))
  isAway = false
  expect(passIn(await app.reload(same))).not.toBe(passIn(page))
})

test('a session store that is away keeps a returning viewer on the page', async () => {
  const fault = new Error('away')
  let isAway = false
  const opened = openSqliteSessionStore(':memory:', SESSION_LIMITS, () => OPENS - 10)
  const get = opened.store.get.bind(opened.store)
  opened.store.get = (id, done) => (isAway ? done(fault) : get(id, done))
  const app = await startWaiting({
    sessionStore: { ...opened, checkHealth: () => (isAway ? Promise.reject(fault) : opened.checkHealth()) },
    entryPoints: [withDoors(ENTRY_POINT, WAITING), entryPointAt('open')],
  })
  const Cookie = String((await app.post('/e/open/sign-in', ADA)).setCookies[0]?.split(';')[0])
  const page = await app.get('/', { Cookie })
  expectWaiting(page)
  isAway = true
  expectWaiting(await app.reload(page, { Cookie }))
  app.clock.seconds = OPENS
  const away = await app.reload(page, { Cookie })
  expect([away.status, reasonOf(away)]).toEqual([503, 'waiting'])
  isAway = false
  expect((await app.reload(away, { Cookie })).status).toBe(303)
})
