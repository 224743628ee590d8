import type { SessionData } from 'express-session'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { slotOf } from '../../src/redis/cluster.ts'
import { redisCounters } from '../../src/redis/counters.ts'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { openRedisSessionStore } from '../../src/redis/session-store.ts'
import { createSignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { stores } from '../../src/stores.ts'
import { get, sessionOf, sessionStoreContract, set } from '../sessions/session-store-contract.ts'
import { SETTINGS } from '../settings.ts'
import { signInLimitsContract } from '../sign-in-limits/sign-in-limits-contract.ts'
import { runHere } from '../tools/cli/run-here.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { openOperator } from './servers/redis.ts'
import { clusterAddress, type RedisCluster, startRedisCluster } from './servers/redis-cluster.ts'

/** A real cluster of three masters. */
let cluster: RedisCluster
let link: RedisLink
const nowSeconds = () => Date.now() / 1000
const LIMITS = { lifetimeSeconds: 9_999, idleSeconds: 9_999, mostPerViewer: 20 }

beforeAll(async () => {
  cluster = await startRedisCluster({ password: 'REDISMARKER' })
  link = await openLink()
})
beforeEach(() => cluster.flush())
afterAll(async () => {
  link.close()
  await cluster.remove()
})

async function openLink(): Promise<RedisLink> {
  // Thousands of commands at once take their time on a busy machine.
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing is kept', nowSeconds, replyTimeoutMs: 10_000 }
  return await openRedisLink(clusterAddress(cluster), { ...options, log: pino({ level: 'silent' }) })
}

sessionStoreContract('Redis Cluster', () =>
  Promise.resolve(async (limits, now) => openRedisSessionStore(await openLink(), limits, now)),
)

describe('the keys in a cluster', () => {
  test('sessions and counts are spread over all masters', async () => {
    const store = openRedisSessionStore(link, LIMITS, nowSeconds)
    const counter = redisCounters(link)('failed', 60)
    for (let index = 0; index < 60; index += 1) {
      await set(store, `s${index}`, sessionOf(`viewer${index}`, nowSeconds()))
      await counter.penalty(`account${index}`)
    }
    expect(await cluster.keys()).toHaveLength(180)
    for (const server of cluster.servers) {
      const operator = await openOperator(server)
      onTestFinished(() => operator.destroy())
      expect(await operator.dbSize()).toBeGreaterThan(20)
    }
  })

  test('the app computes the same slot of a key as Redis', async () => {
    const [server = expect.unreachable()] = cluster.servers
    const operator = await openOperator(server)
    onTestFinished(() => operator.destroy())
    const keys = ['123456789', '', 'a', 'ümlaut', '{a}b', 'x{a}b', '{}a', 'a{}{b}', '{a', 'a}', '{{a}}', '{a}{b}']
    for (const key of keys) expect([key, slotOf(key)]).toEqual([key, await operator.clusterKeySlot(key)])
  })

  test('a key that moved to another master is found', async () => {
    const key = 'viewer-auth:moved'
    await link.run(key, (commands) => commands.set(key, 'before'))
    const operators = await Promise.all(cluster.servers.map(openOperator))
    onTestFinished(() => operators.forEach((operator) => void operator.destroy()))
    const slot = slotOf(key)
    const ids = await Promise.all(operators.map((operator) => operator.clusterMyId()))
    const sizes = await Promise.all(operators.map((operator) => operator.clusterCountKeysInSlot(slot)))
    const from = sizes.findIndex((size) => size > 0)
    const to = (from + 1) % 3
    await operators[to]?.clusterSetSlot(slot, 'IMPORTING', ids[from] ?? '')
    await operators[from]?.clusterSetSlot(slot, 'MIGRATING', ids[to] ?? '')
    // The key is not there any more: the old master redirects once.
    await operators[from]?.del(key)
    expect(await link.run(key, (commands) => commands.get(key))).toBeNull()
    await operators[to]?.clusterSetSlot(slot, 'NODE', ids[to] ?? '')
    await operators[from]?.clusterSetSlot(slot, 'NODE', ids[to] ?? '')
    expect(await link.run(key, (commands) => commands.set(key, 'after'))).toBe('OK')
    expect(await operators[to]?.get(key)).toBe('after')
    expect(link.isAvailable()).toBe(true)
  })
})

describe('the command line with a cluster', () => {
  const run = (args: string[], env: Record<string, string>) => runHere(args, { cwd: temporaryFolder(), env })

  test('sessions end ends the sessions of one viewer or of all viewers in the cluster', async () => {
    const store = openRedisSessionStore(link, LIMITS, nowSeconds)
    for (let index = 0; index < 30; index += 1) {
      await set(store, `s${index}`, sessionOf(['Ada', 'eve', 'bob'][index % 3] ?? '', nowSeconds()))
    }
    const env = { ...SETTINGS, SESSION_STORE_URL: cluster.url }
    expect(JSON.parse((await run(['sessions', 'end', 'ada', '--json'], env)).stdout)).toMatchObject({
      ended: 10,
      endedOfProviders: 0,
    })
    expect([await get(store, 's0'), await get(store, 's1')]).toEqual([null, expect.anything() as SessionData])
    expect(JSON.parse((await run(['sessions', 'end', '--all', '--yes', '--json'], env)).stdout)).toEqual({ ended: 20 })
    expect(await cluster.keys()).toEqual([])
  })

  test('sessions list reads the sessions of all masters', async () => {
    const store = openRedisSessionStore(link, LIMITS, nowSeconds)
    for (let index = 0; index < 30; index += 1) {
      await set(store, `s${index}`, sessionOf(`viewer${index}`, nowSeconds()))
    }
    const { stdout } = await run(['sessions', 'list', '--json'], { ...SETTINGS, SESSION_STORE_URL: cluster.url })
    expect(new Set((JSON.parse(stdout) as { username: string }[]).map(({ username }) => username)).size).toBe(30)
  })

  test('viewers unlock resets the counts of an account in the cluster', async () => {
    const limits = createSignInLimits(redisCounters(link))
    for (const name of ['ada', 'eve']) {
      for (let count = 0; count < 30; count += 1) {
        const admission = await limits.admit(name, `192.0.2.${count % 5}`)
        if (admission.ok) await admission.attempt.failed()
      }
    }
    const env = { LIMITS_STORE_URL: cluster.url }
    const before = (await cluster.keys()).length
    const unlocked = await run(['viewers', 'unlock', 'Ada', '--json'], env)
    expect(JSON.parse(unlocked.stdout)).toMatchObject({ unlocked: true })
    expect((await cluster.keys()).length).toBeLessThan(before)
    expect((await limits.admit('ada', '192.0.2.1')).ok).toBe(true)
    expect((await limits.admit('eve', '192.0.2.1')).ok).toBe(false)
  })
})

test('the counters of a cluster are open and available', async () => {
  const log = { info: () => {}, warn: () => expect.unreachable() }
  const settings = { kind: 'redis', redis: clusterAddress(cluster) } as const
  const { optionalStores, close } = await stores.openCounters(settings, { nowSeconds, log })
  onTestFinished(close)
  expect(optionalStores.map((store) => store.isAvailable())).toEqual([true])
})

signInLimitsContract('Redis Cluster', () =>
  Promise.resolve({ openCounter: redisCounters(link), advance: (ms) => cluster.makeOlder(ms) }),
)
