import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../../../src/errors.ts'
import { openRedisLink } from '../../../../../src/redis/link.ts'
import { redisRecords } from '../../../../../src/redis/window/records.ts'
import { RESULT } from '../../../../../src/services/window/flows/flow-store.ts'
import { openSharedFlows } from '../../../../../src/services/window/flows/shared-flows.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from '../../../../redis/servers/redis.ts'
import { flowStoreContract, SIGNED_IN, STARTED, STATE } from '../flow-store-contract.ts'

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
  return openSharedFlows(redisRecords(await openRedisLink(address, { ...options, log: pino({ level: 'silent' }) })))
}

flowStoreContract('Redis', openStore)

test('the keys are below REDIS_KEY_PREFIX, and end by themselves', async () => {
  const store = await openStore()
  onTestFinished(() => store.close())
  await store.put(STATE, 'a', STARTED)
  await store.put(RESULT, 'b', SIGNED_IN)
  const keys = (await operator.keys('*')).toSorted()
  expect(keys).toEqual(['viewer-auth:sso:result:b', 'viewer-auth:sso:state:a'])
  const seconds = await Promise.all(keys.map((key) => operator.ttl(key)))
  expect(seconds).toEqual([expect.toSatisfy(isBetween(110, 120)), expect.toSatisfy(isBetween(590, 600))])
})

test('a result is shared between two copies, and an unreadable one is an error of the store', async () => {
  const one = await openStore()
  const other = await openStore()
  onTestFinished(() => {
    one.close()
    other.close()
  })
  await one.put(RESULT, 'a', SIGNED_IN)
  expect([await other.take(RESULT, 'a', 'form'), await one.take(RESULT, 'a', 'form')]).toEqual([SIGNED_IN, SIGNED_IN])
  expect(await operator.ttl('viewer-auth:sso:result:a')).toBeLessThanOrEqual(10)
  expect(await one.take(RESULT, 'a')).toBeNull()
  await operator.set('viewer-auth:sso:result:x', '{}')
  await expect(one.take(RESULT, 'x')).rejects.toThrow(UpstreamError)
})

function isBetween(least: number, most: number) {
  return (value: number) => value >= least && value <= most
}
