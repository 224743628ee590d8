import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../src/errors.ts'
import { slotOf } from '../../src/redis/cluster.ts'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { addAda, programSettings } from '../login/login-program.ts'
import { isPassedOn, readinessOf, returnTo, signInAt, signOutAt } from '../login/program-visits.ts'
import { type LoginProgram, startLoginProgram } from '../login/start-program.ts'
import { makeCertificate } from '../servers/certificate.ts'
import { openOperator } from './servers/redis.ts'
import { clusterAddress, type RedisCluster, startRedisCluster } from './servers/redis-cluster.ts'

const BACK_WITHIN = { interval: 50, timeout: 30_000 }

/** Three masters. Each test leaves them running. */
let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startRedisCluster({ password: 'REDISMARKER' })
})
afterAll(() => cluster.remove())

/** Makes the other masters answer while one is away. By default they refuse commands. */
async function allowPartialCoverage(): Promise<void> {
  for (const server of cluster.servers) {
    const operator = await openOperator(server)
    await operator.configSet('cluster-require-full-coverage', 'no')
    await expect.poll(() => operator.clusterInfo(), BACK_WITHIN).toContain('cluster_state:ok')
    operator.destroy()
  }
}

async function open(from = cluster, authority: string | null = null) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing is kept', nowSeconds: () => Date.now() / 1000 }
  const link = await openRedisLink(clusterAddress(from, authority), { ...options, log })
  onTestFinished(() => link.close())
  const events = () => lines.map((line) => (JSON.parse(line) as { event: string }).event)
  return { link, lines, events }
}

/** Returns a key of the third server, and keys of the two others. */
async function keysOf({ servers }: RedisCluster): Promise<{ key: string; others: readonly string[] }> {
  const operator = await openOperator(servers[0] ?? expect.unreachable())
  onTestFinished(() => operator.destroy())
  const slots = await operator.clusterSlots()
  const portOf = (key: string) => slots.find(({ from, to }) => from <= slotOf(key) && slotOf(key) <= to)?.master.port
  const keys = Array.from({ length: 60 }, (_, index) => `viewer-auth:${index}`)
  const key = keys.find((candidate) => portOf(candidate) === servers[2]?.port) ?? expect.unreachable()
  return { key, others: keys.filter((candidate) => portOf(candidate) !== servers[2]?.port) }
}

const write = (link: RedisLink, key: string) => link.run(key, (commands) => commands.set(key, 'a'))
const untilWritable = (link: RedisLink, key: string) => vi.waitFor(() => write(link, key), BACK_WITHIN)
const untilAvailable = (link: RedisLink) => expect.poll(() => link.isAvailable(), BACK_WITHIN).toBe(true)

async function untilReadyIs(program: LoginProgram, word: string): Promise<void> {
  await expect.poll(() => readinessOf(program), BACK_WITHIN).toEqual([200, word])
}

describe('a Redis Cluster that lost a server', () => {
  test('viewers sign in while one of three masters is stopped, and get sessions again when it is back', async () => {
    const settings = { ...programSettings(), SESSION_STORE_URL: cluster.url, LIMITS_STORE_URL: cluster.url }
    await addAda(settings)
    const program = await startLoginProgram(settings)
    expect(await readinessOf(program)).toEqual([200, 'ready'])
    const { cookie } = await signInAt(program)
    expect(isPassedOn(await returnTo(program, cookie ?? expect.unreachable()))).toBe(true)
    await cluster.servers[2]?.stop()
    await untilReadyIs(program, 'degraded')
    for (let viewer = 0; viewer < 10; viewer += 1) expect(isPassedOn(await signInAt(program))).toBe(true)
    await cluster.servers[2]?.restart()
    await untilReadyIs(program, 'ready')
    // A master that is back refuses commands for two seconds.
    const again = await vi.waitFor(async () => (await signInAt(program)).cookie ?? expect.unreachable(), BACK_WITHIN)
    expect(isPassedOn(await returnTo(program, again))).toBe(true)
    expect((await signOutAt(program, again)).status).toBe(303)
    await expect.poll(() => program.output(), BACK_WITHIN).toContain('redis-back')
    expect(program.output()).not.toContain('REDISMARKER')
  })

  test('only the keys of a stopped master are away, if the cluster serves the others', async () => {
    await allowPartialCoverage()
    const { link, events } = await open()
    const { key, others } = await keysOf(cluster)
    await cluster.servers[2]?.stop()
    await expect.poll(() => link.isAvailable()).toBe(false)
    await expect(write(link, key)).rejects.toThrow(UpstreamError)
    expect(link.isAvailable(key)).toBe(false)
    for (const other of others) {
      expect(await write(link, other)).toBe('OK')
      expect(link.isAvailable(other)).toBe(true)
    }
    await cluster.servers[2]?.restart()
    await untilWritable(link, key)
    await expect.poll(events, BACK_WITHIN).toEqual(['redis-away', 'redis-back'])
  })

  test('a master that hangs delays only the first caller, and no other key', async () => {
    await allowPartialCoverage()
    const { link } = await open()
    const { key, others } = await keysOf(cluster)
    cluster.servers[2]?.pause()
    await expect(write(link, key)).rejects.toThrow('no answer within 500 ms')
    const before = performance.now()
    for (let time = 0; time < 20; time += 1) await expect(write(link, key)).rejects.toThrow(UpstreamError)
    for (const other of others) expect(await write(link, other)).toBe('OK')
    // A timeout for each would take ten seconds.
    expect(performance.now() - before).toBeLessThan(2_000)
    cluster.servers[2]?.resume()
    await untilWritable(link, key)
  })
})

test('the connections to all servers of a cluster are encrypted, with a certificate of the authority', async () => {
  const own = await makeCertificate(['IP:127.0.0.1'])
  const encrypted = await startRedisCluster({ password: 'REDISMARKER', tls: own })
  onTestFinished(() => encrypted.remove())
  const { link } = await open(encrypted, own.certificate)
  await untilAvailable(link)
  for (let index = 0; index < 30; index += 1) expect(await write(link, `viewer-auth:${index}`)).toBe('OK')
  const stranger = await open(encrypted, (await makeCertificate()).certificate)
  expect(stranger.link.isAvailable()).toBe(false)
  expect(stranger.lines[0]).toMatch(/redis-away.*certificate/i)
  expect(stranger.lines.join()).not.toContain('REDISMARKER')
})
