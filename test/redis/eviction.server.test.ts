import { expect, onTestFinished, test } from 'vitest'
import { stores } from '../../src/stores.ts'
import { redisAddress, startRedis } from './servers/redis.ts'

const nowSeconds = () => Date.now() / 1000

/** Opens the counters of a Redis with these settings, checks that they work, and returns the logged warnings. */
async function warningsOf(more: readonly string[]): Promise<string[]> {
  const redis = await startRedis({ more })
  onTestFinished(() => redis.remove())
  const warnings: string[] = []
  const log = { info: () => {}, warn: (_event: unknown, message?: string) => void warnings.push(message ?? '') }
  const settings = { kind: 'redis', redis: redisAddress(redis) } as const
  const { openCounter, optionalStores, close } = await stores.openCounters(settings, { nowSeconds, log })
  onTestFinished(close)
  // Redis answers in order, so its settings were answered before this.
  expect(await openCounter('failed', 60).penalty('ada')).toMatchObject({ consumedPoints: 1 })
  expect(optionalStores.map((store) => store.isAvailable())).toEqual([true])
  return warnings
}

test.each([
  [[], []],
  [['--maxmemory', '64mb', '--maxmemory-policy', 'noeviction'], []],
  [['--maxmemory-policy', 'allkeys-lru'], []],
  [
    ['--maxmemory', '64mb', '--maxmemory-policy', 'volatile-lru'],
    [expect.stringMatching(/^LIMITS_STORE_URL: .*volatile-lru.*noeviction/)],
  ],
  [['--rename-command', 'INFO', ''], []],
])('a warning is logged if a Redis started with %j may forget counts', async (more, expected) => {
  expect(await warningsOf(more)).toEqual(expected)
})
