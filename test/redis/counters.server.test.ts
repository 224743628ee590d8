import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { watchClock } from '../../src/features/shared-clock/watch-clock.ts'
import { redisCounters } from '../../src/redis/counters.ts'
import { countsIn } from '../../src/redis/counts.ts'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { unlock } from '../../src/stores/stored-counts/stored-counts.ts'
import { parallelAttemptsContract } from '../sign-in-limits/parallel-attempts-contract.ts'
import { signInLimitsContract } from '../sign-in-limits/sign-in-limits-contract.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from './servers/redis.ts'

const HOME = '198.51.100.7'
/** Shortens the life of every key by so many milliseconds. */
const AGE = `for _, key in ipairs(redis.call('keys', '*')) do
  redis.call('pexpire', key, redis.call('pttl', key) - ARGV[1])
end`

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

function openLink(): Promise<RedisLink> {
  const options = {
    setting: 'LIMITS_STORE_URL',
    without: 'nothing is shared',
    nowSeconds: () => Date.now() / 1000,
    replyTimeoutMs: 10_000,
  }
  return openRedisLink(redisAddress(redis), { ...options, log: pino({ level: 'silent' }) })
}

const openCounters = () =>
  Promise.resolve({
    openCounter: redisCounters(link),
    advance: async (ms: number) => void (await operator.eval(AGE, { keys: [], arguments: [String(ms)] })),
  })

signInLimitsContract('Redis', openCounters)
parallelAttemptsContract('Redis', openCounters)

async function fail(limits: SignInLimits, username: string, address: string): Promise<string> {
  const admission = await limits.admit(username, address)
  if (!admission.ok) return admission.limit
  await admission.attempt.failed()
  return 'failed'
}

test.each([
  ['on', true],
  ['off', false],
])('a copy compares its clock with that of Redis, and TIME that is turned %s is no outage', async (_turned, mayAsk) => {
  await operator.sendCommand(['ACL', 'SETUSER', 'default', mayAsk ? '+time' : '-time'])
  onTestFinished(async () => void (await operator.sendCommand(['ACL', 'SETUSER', 'default', '+time'])))
  const clock = watchClock({ nowSeconds: () => Date.now() / 1000 - 90, log: pino({ level: 'silent' }) })
  onTestFinished(clock.close)
  await clock.watch([link])
  const { LIMITS_STORE_URL: seconds = Number.NaN } = clock.wrong()
  expect(Math.abs(seconds + 90) < 3).toBe(mayAsk)
  expect(link.isAvailable()).toBe(true)
})

test('all copies of the app share their counts, and the counts outlive each copy', async () => {
  const other = await openLink()
  const [one, two] = [link, other].map((from) => createSignInLimits(redisCounters(from)))
  if (one === undefined || two === undefined) expect.unreachable()
  for (let count = 0; count < 50; count += 1) {
    expect(await fail(one, 'ada', `192.0.2.${count}`)).toBe('failed')
    expect(await fail(two, 'ada', `192.0.3.${count}`)).toBe('failed')
  }
  expect(await fail(one, 'ada', HOME)).toBe('account')
  other.close()
  expect(await fail(createSignInLimits(redisCounters(link)), 'ada', HOME)).toBe('account')
})

test('two copies check no more of 400 simultaneous guesses than one copy', async () => {
  const other = await openLink()
  onTestFinished(() => other.close())
  const copies = [link, other].map((from) => createSignInLimits(redisCounters(from)))
  const results = await Promise.all(
    Array.from({ length: 200 }, () => copies.map((limits) => fail(limits, 'ada', HOME))).flat(),
  )
  expect(results.filter((result) => result === 'failed')).toHaveLength(5)
})

test('all limits count in memory while Redis is full but readable', async () => {
  const own = await openLink()
  onTestFinished(() => own.close())
  await operator.configSet('maxmemory', '1')
  onTestFinished(async () => void (await operator.configSet('maxmemory', '0')))
  const limits = createSignInLimits(redisCounters(own))
  for (let count = 0; count < 100; count += 1) {
    expect(await fail(limits, 'ada', `192.0.2.${count}`)).toBe('failed')
  }
  expect(await fail(limits, 'ada', HOME)).toBe('account')
  for (let count = 0; count < 300; count += 1) await fail(limits, `user${count}`, HOME)
  expect(await fail(limits, 'eve', HOME)).toBe('address')
})

test('the keys in Redis hold no name and no password, and all expire', async () => {
  const limits = createSignInLimits(redisCounters(link))
  await fail(limits, 'ada@example.com', HOME)
  const keys = await operator.keys('*')
  expect(keys.map((key) => key.replace(/:[\w-]{22}/, ':ACCOUNT')).toSorted()).toEqual([
    'viewer-auth:failed-account:ACCOUNT',
    `viewer-auth:failed-address:${HOME}`,
    `viewer-auth:failed-pair:ACCOUNT@${HOME}`,
    `viewer-auth:mistyped:ACCOUNT@${HOME}`,
  ])
  for (const key of keys) expect(await operator.ttl(key)).toBeGreaterThan(500)
})

test('two copies that take back a count at the same time leave no credit', async () => {
  const other = await openLink()
  onTestFinished(() => other.close())
  const counters = [link, other].map((from) => redisCounters(from)('test', 60))
  for (let round = 0; round < 50; round += 1) {
    await counters[0]?.penalty(`key${round}`, 3)
    await Promise.all(counters.flatMap((counter) => [2, 2].map((points) => counter.giveBack(`key${round}`, points))))
  }
  expect(await operator.keys('*test*')).toEqual([])
  await counters[0]?.giveBack('never', 1)
  expect(await operator.keys('*test*')).toEqual([])
  await counters[0]?.penalty('some', 5)
  await counters[1]?.giveBack('some', 2)
  expect((await counters[0]?.get('some'))?.consumedPoints).toBe(3)
})

test('an unlocked account can sign in from everywhere, in any spelling, and no other account can', async () => {
  const limits = createSignInLimits(redisCounters(link))
  for (let count = 0; count < 100; count += 1) await fail(limits, 'ada@example.com', `192.0.2.${count}`)
  for (let count = 0; count < 6; count += 1) await fail(limits, 'eve', HOME)
  expect(await fail(limits, 'ada@example.com', HOME)).toBe('account')
  expect(await unlock(countsIn(link), { username: ' ADA@example.com ' })).toEqual({ viewer: true, address: false })
  expect(await fail(limits, 'ada@example.com', HOME)).toBe('failed')
  expect(await fail(limits, 'eve', HOME)).toBe('account-and-address')
  expect(await unlock(countsIn(link), { username: 'eve' })).toEqual({ viewer: true, address: false })
  for (let free = 0; free < 5; free += 1) expect(await fail(limits, 'eve', HOME)).toBe('failed')
  expect(await unlock(countsIn(link), { username: 'nobody' })).toEqual({ viewer: false, address: false })
})

test('an unlock keeps the known addresses of the owner', async () => {
  const limits = createSignInLimits(redisCounters(link))
  const admission = await limits.admit('ada', HOME)
  if (admission.ok) await admission.attempt.succeeded()
  await unlock(countsIn(link), { username: 'ada' })
  expect(await operator.keys('*known-pair*')).toHaveLength(1)
})
