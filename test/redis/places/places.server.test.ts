import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openRedisLink } from '../../../src/redis/link.ts'
import { redisPlaces } from '../../../src/redis/places/redis-places.ts'
import { claimsOf, placeStoreContract } from '../../stores/places/place-store-contract.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from '../servers/redis.ts'

let redis: RedisServer
let operator: Awaited<ReturnType<typeof openOperator>>
beforeAll(async () => {
  redis = await startRedis()
  operator = await openOperator(redis)
})
beforeEach(async () => {
  await operator.flushDb()
})
afterAll(() => redis.remove())

async function openStore() {
  const address = { ...redisAddress(redis), keyPrefix: 'viewer-auth:' }
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing works', nowSeconds: () => Date.now() / 1000 }
  return redisPlaces(await openRedisLink(address, { ...options, log: pino({ level: 'silent' }) }))
}

/** Opens the stores of two copies of the app. */
async function openTwo() {
  const two = [await openStore(), await openStore()] as const
  onTestFinished(() => {
    for (const store of two) store.close()
  })
  return two
}

placeStoreContract('Redis', openStore)

test('a claim is one round trip with one key, which ends by itself with its last place', async () => {
  const [store] = await openTwo()
  const claim = claimsOf(store, 'ada', 2)
  await claim('a', 'newest')
  await operator.configResetStat()
  await claim('b', 'newest', undefined, { endsAtSeconds: 2_000_000_050 })
  const calls = [...(await operator.info('commandstats')).matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
  const ofClaim = calls.map(([, name, count]) => `${name} ${count}`).filter((call) => !/^(ping|config)/.test(call))
  expect(ofClaim.toSorted()).toEqual(['eval 1', 'get 1', 'set 1'])
  expect(await operator.keys('*')).toEqual(['viewer-auth:screens:ada'])
  const seconds = await operator.ttl('viewer-auth:screens:ada')
  expect(seconds).toBeGreaterThan(90)
  expect(seconds).toBeLessThanOrEqual(100)
})

test('of two sign-ins at once on two copies, exactly one keeps its place', async () => {
  const [one, other] = await openTwo()
  // Both copies have decided, and both commands wait in the queue of Redis.
  redis.pause()
  const results = Promise.all([claimsOf(one, 'ada')('a', 'newest'), claimsOf(other, 'ada')('b', 'newest')])
  await new Promise((resolve) => setTimeout(resolve, 50))
  redis.resume()
  expect((await results).toSorted()).toEqual(['taken', 'taken-over'])
  const kept = await Promise.all([claimsOf(one, 'ada')('b', 'if-free'), claimsOf(other, 'ada')('a', 'if-free')])
  expect(kept.toSorted()).toEqual(['none-free', 'taken'])
})

test('a place that is lost on one copy is lost on the other, also after a restart of both', async () => {
  const [one, other] = await openTwo()
  await claimsOf(one, 'ada')('a', 'newest')
  await claimsOf(other, 'ada')('b', 'newest')
  const [restarted] = await openTwo()
  for (const store of [one, other, restarted]) expect(await claimsOf(store, 'ada')('a', 'if-free')).toBe('none-free')
})

test('while Redis is away, a claim fails at once and the store says so, and it works again afterwards', async () => {
  const [store] = await openTwo()
  const claim = claimsOf(store, 'ada')
  await claim('a', 'newest')
  const isAvailable = () => store.optionalStores.map((one) => one.isAvailable())
  expect(isAvailable()).toEqual([true])
  redis.pause()
  await expect(claim('a', 'if-free')).rejects.toThrow(UpstreamError)
  expect(isAvailable()).toEqual([false])
  const startMs = performance.now()
  await expect(claim('a', 'if-free')).rejects.toThrow(UpstreamError)
  expect(performance.now() - startMs).toBeLessThan(400)
  redis.resume()
  await expect.poll(isAvailable).toEqual([true])
  expect(await claim('b', 'if-free')).toBe('none-free')
})
