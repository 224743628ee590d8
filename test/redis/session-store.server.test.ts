import type { SessionData } from 'express-session'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { endAllRedisSessions } from '../../src/redis/session-list.ts'
import { openRedisSessionStore } from '../../src/redis/session-store.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { identitySessionsContract, providerSessionOf } from '../sessions/identity-sessions-contract.ts'
import { destroy, get, sessionOf, sessionStoreContract, set, touch } from '../sessions/session-store-contract.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from './servers/redis.ts'

const LIMITS = { lifetimeSeconds: 1000, idleSeconds: 100, mostPerViewer: 20 }
let redis: RedisServer
let operator: Awaited<ReturnType<typeof openOperator>>
let link: RedisLink
beforeAll(async () => {
  redis = await startRedis()
  operator = await openOperator(redis)
  link = await openLink()
})
beforeEach(async () => {
  await operator.flushDb()
})
afterAll(async () => {
  link.close()
  await redis.remove()
})

function openLink(keyPrefix = 'viewer-auth:'): Promise<RedisLink> {
  const address = { ...redisAddress(redis), keyPrefix }
  const options = {
    setting: 'SESSION_STORE_URL',
    without: 'nothing is kept',
    nowSeconds: () => Date.now() / 1000,
    replyTimeoutMs: 10_000,
  }
  return openRedisLink(address, { ...options, log: pino({ level: 'silent' }) })
}

for (const contract of [sessionStoreContract, identitySessionsContract]) {
  contract('Redis', () =>
    Promise.resolve(async (limits, nowSeconds) => openRedisSessionStore(await openLink(), limits, nowSeconds)),
  )
}

const clock = { seconds: 0 }
let store: SessionStore
beforeEach(() => {
  clock.seconds = 10_000
  store = openRedisSessionStore(link, LIMITS, () => clock.seconds)
})

const sessionKeys = async () => (await operator.keys('*session:*')).toSorted()

test('Redis deletes an ended session and the list of its viewer', async () => {
  await set(store, 'a', sessionOf('ada', clock.seconds))
  await set(store, 'b', sessionOf('ada', clock.seconds - 950))
  expect(await operator.ttl('viewer-auth:session:a')).toBeCloseTo(100, -1)
  expect(await operator.ttl('viewer-auth:session:b')).toBeLessThanOrEqual(50)
  expect(await operator.ttl('viewer-auth:sessions-of:ada')).toBeCloseTo(1000, -1)
  expect(await operator.dbSize()).toBe(3)
})

test('each use of a session extends its expiry in Redis, up to its lifetime', async () => {
  await set(store, 'a', sessionOf('ada', clock.seconds))
  await operator.expire('viewer-auth:session:a', 5)
  clock.seconds += 95
  await touch(store, 'a', (await get(store, 'a')) as SessionData)
  expect(await operator.ttl('viewer-auth:session:a')).toBeCloseTo(100, -1)
  for (clock.seconds += 90; clock.seconds < 10_960; clock.seconds += 90) {
    await touch(store, 'a', (await get(store, 'a')) as SessionData)
  }
  clock.seconds = 10_980
  await touch(store, 'a', (await get(store, 'a')) as SessionData)
  expect(await operator.ttl('viewer-auth:session:a')).toBeLessThanOrEqual(20)
})

test('a session that is used often in a short time is written once', async () => {
  await set(store, 'a', sessionOf('ada', clock.seconds))
  const commands = async () => Number(/cmdstat_set:calls=(\d+)/.exec(await operator.info('commandstats'))?.[1])
  const before = await commands()
  for (let use = 0; use < 20; use += 1) {
    clock.seconds += 1
    await touch(store, 'a', (await get(store, 'a')) as SessionData)
  }
  expect((await commands()) - before).toBe(2)
})

test('all sessions of one viewer end, in any spelling of the name, and no others', async () => {
  for (const id of ['a', 'b']) await set(store, id, sessionOf('Ada@Example.com', clock.seconds))
  await set(store, 'c', sessionOf('eve', clock.seconds))
  expect(await store.endSessionsOf('ada@EXAMPLE.com')).toBe(2)
  expect(await sessionKeys()).toEqual(['viewer-auth:session:c'])
  expect(await store.endSessionsOf('ada@example.com')).toBe(0)
  expect(await store.endSessionsOf('*')).toBe(0)
  expect(await get(store, 'c')).not.toBeNull()
})

test('a session that begins while the others are ended can be ended later', async () => {
  const run: RedisLink['run'] = async (key, command) => {
    const answer = await link.run(key, command)
    await store.endSessionsOf('ada')
    return answer
  }
  const during = openRedisSessionStore({ ...link, run }, LIMITS, () => clock.seconds)
  await set(during, 'a', sessionOf('ada', clock.seconds))
  await store.endSessionsOf('ada')
  expect(await get(store, 'a')).toBeNull()
  expect(await sessionKeys()).toEqual([])
})

test('all 2,500 sessions end at once, and other keys stay', async () => {
  const other = await openLink('other:')
  onTestFinished(() => other.close())
  await set(
    openRedisSessionStore(other, LIMITS, () => clock.seconds),
    'x',
    sessionOf('ada', clock.seconds),
  )
  await operator.set('viewer-auth:failed-account:x', '1')
  await set(store, 'p', providerSessionOf('ada', clock.seconds))
  const many = openRedisSessionStore(link, { ...LIMITS, mostPerViewer: 1000 }, () => clock.seconds)
  // In batches, because each command must be answered within half a second.
  for (let from = 0; from < 2_500; from += 100) {
    const some = Array.from({ length: 100 }, (_, index) => from + index)
    await Promise.all(some.map((index) => set(many, `s${index}`, sessionOf(`ada${index % 7}`, clock.seconds))))
  }
  expect(await store.endSessionsOf('ada0')).toBe(358)
  expect(await endAllRedisSessions(link)).toBe(2_143)
  expect((await operator.keys('*')).toSorted()).toEqual([
    'other:session:x',
    'other:sessions-of:ada',
    'viewer-auth:failed-account:x',
  ])
})

test('the list of a viewer has as many entries as sessions', async () => {
  for (let index = 0; index < 50; index += 1) await set(store, `s${index}`, sessionOf('ada', clock.seconds))
  expect(await operator.zCard('viewer-auth:sessions-of:ada')).toBe(20)
  expect(await sessionKeys()).toHaveLength(20)
})

test('200 parallel sign-ins of one viewer remove each session once', async () => {
  const deletions = async () => Number(/cmdstat_del:calls=(\d+)/.exec(await operator.info('commandstats'))?.[1] ?? 0)
  const before = await deletions()
  const ids = Array.from({ length: 200 }, (_, index) => `s${index}`)
  await Promise.all(ids.map((id) => set(store, id, sessionOf('ada', clock.seconds))))
  expect((await deletions()) - before).toBe(180)
  expect(await sessionKeys()).toEqual(ids.slice(180).map((id) => `viewer-auth:session:${id}`))
})

test('a sign-in finishes what a killed copy of the app left of the list', async () => {
  let isKilled = false
  const run: RedisLink['run'] = (key, command) =>
    isKilled ? Promise.reject(new Error('killed')) : link.run(key, command)
  const killed = openRedisSessionStore(
    {
      ...link,
      run: async (key, command) => {
        const answer = await run(key, command)
        isKilled = key.includes('sessions-of')
        return answer
      },
    },
    { ...LIMITS, mostPerViewer: 1 },
    () => clock.seconds,
  )
  await set(store, 'a', sessionOf('ada', clock.seconds))
  await set(killed, 'b', sessionOf('ada', clock.seconds))
  expect(await sessionKeys()).toEqual(['viewer-auth:session:a', 'viewer-auth:session:b'])
  clock.seconds += 6
  await set(store, 'c', sessionOf('ada', clock.seconds))
  expect(await sessionKeys()).toEqual(['viewer-auth:session:b', 'viewer-auth:session:c'])
  expect(await store.endSessionsOf('ada')).toBe(2)
})

test('an ended session is removed from the list of its viewer', async () => {
  for (const id of ['a', 'b', 'c']) await set(store, id, sessionOf('ada', clock.seconds))
  await destroy(store, 'a')
  expect((await operator.zRange('viewer-auth:sessions-of:ada', 0, -1)).toSorted()).toEqual(['b', 'c'])
  clock.seconds += 1001
  await set(store, 'd', sessionOf('ada', clock.seconds))
  expect(await operator.zRange('viewer-auth:sessions-of:ada', 0, -1)).toEqual(['d'])
})

test.each(['{', '', 'null', '[]', '{"cookie":{}}', '{"cookie":{},"viewer":"ada","usedAtSeconds":1}'])(
  'the unreadable session %j counts as none',
  async (text) => {
    await operator.set('viewer-auth:session:a', text)
    expect(await get(store, 'a')).toBeNull()
    await destroy(store, 'a')
    expect(await sessionKeys()).toEqual([])
  },
)

test('a key of another Redis type is an error, not a session', async () => {
  await operator.hSet('viewer-auth:session:a', 'viewer', 'ada')
  await expect(get(store, 'a')).rejects.toThrow(/WRONGTYPE/)
})

test('the lists of a session of a provider are below REDIS_KEY_PREFIX, and end with the sessions', async () => {
  await set(store, 'a', providerSessionOf('ada', clock.seconds, { providerSession: 's1' }))
  const lists = await operator.keys('viewer-auth:sso:sessions-of:*')
  expect(lists).toHaveLength(3)
  expect(await operator.dbSize()).toBe(4)
  for (const list of lists) expect(await operator.ttl(list)).toBeCloseTo(1000, -1)
  await destroy(store, 'a')
  await expect.poll(() => operator.dbSize()).toBe(0)
})
