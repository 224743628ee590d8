import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { redisCounters } from '../../../src/redis/counters.ts'
import { openRedisLink } from '../../../src/redis/link.ts'
import { type RedisServer, redisAddress, startRedis } from '../../redis/servers/redis.ts'
import { mailSharesContract } from './mail-shares-contract.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

mailSharesContract('Redis, with a connection of each copy', () => {
  const address = { ...redisAddress(redis), keyPrefix: `${randomUUID()}:` }
  return Promise.resolve(async () => {
    const log = { info: () => {}, warn: () => {} }
    const nowSeconds = () => Date.now() / 1000
    const link = await openRedisLink(address, { setting: 'LIMITS_STORE_URL', without: 'no count', log, nowSeconds })
    onTestFinished(() => link.close())
    return redisCounters(link)
  })
})
