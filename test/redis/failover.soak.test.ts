import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRedisLink } from '../../src/redis/link.ts'
import { clusterAddress, startRedisCluster } from './servers/redis-cluster.ts'

const BACK_WITHIN = { interval: 50, timeout: 60_000 }

test('a replica takes over for a master of a cluster that is lost, and no key is lost', async () => {
  const cluster = await startRedisCluster({ replicas: 1 })
  onTestFinished(() => cluster.remove())
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing is kept', nowSeconds: () => Date.now() / 1000 }
  const link = await openRedisLink(clusterAddress(cluster), { ...options, log: pino({ level: 'silent' }) })
  onTestFinished(() => link.close())
  const keys = Array.from({ length: 60 }, (_, index) => `viewer-auth:${index}`)
  for (const key of keys) await link.run(key, (commands) => commands.set(key, 'a'))
  await cluster.untilReplicated()
  await cluster.servers[2]?.stop()
  await expect.poll(() => link.isAvailable(), BACK_WITHIN).toBe(false)
  await expect.poll(() => link.isAvailable(), BACK_WITHIN).toBe(true)
  for (const key of keys) {
    expect(await vi.waitFor(() => link.run(key, (commands) => commands.get(key)), BACK_WITHIN)).toBe('a')
  }
})
