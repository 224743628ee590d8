import type { SessionData } from 'express-session'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { redisCounters } from '../../../../../src/redis/counters.ts'
import { openRedisLink, type RedisLink } from '../../../../../src/redis/link.ts'
import { openRedisSessionStore } from '../../../../../src/redis/session-store.ts'
import { createSignInLimits } from '../../../../../src/sign-in-limits/sign-in-limits.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from '../../../../redis/servers/redis.ts'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'

let redis: RedisServer
let operator: Awaited<ReturnType<typeof openOperator>>
let link: RedisLink
const nowSeconds = () => Date.now() / 1000

beforeAll(async () => {
  redis = await startRedis({ password: 'REDISMARKER' })
  operator = await openOperator(redis)
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing is kept', nowSeconds }
  link = await openRedisLink(redisAddress(redis), { ...options, log: pino({ level: 'silent' }) })
})
beforeEach(() => operator.flushDb())
afterAll(async () => {
  link.close()
  await redis.remove()
})

/** Opens sessions as running copies of the login app do. */
async function openSessions(...usernames: string[]): Promise<void> {
  const { store } = openRedisSessionStore(
    link,
    { lifetimeSeconds: 9_999, idleSeconds: 9_999, mostPerViewer: 20 },
    nowSeconds,
  )
  for (const [index, username] of usernames.entries()) {
    const viewer = { username, signedInAtSeconds: Math.floor(nowSeconds()) }
    const data = { cookie: { originalMaxAge: null }, viewer } as SessionData
    await new Promise((resolve) => store.set(`session-${index}`, data, resolve))
  }
}

const run = (args: string[], env: Record<string, string>) => runHere(args, { cwd: temporaryFolder(), env })
const end = (...args: string[]) => run(['sessions', 'end', ...args], { ...SETTINGS, SESSION_STORE_URL: redis.url })
const unlock = (username: string, ...more: string[]) =>
  run(['viewers', 'unlock', username, ...more], { LIMITS_STORE_URL: redis.url })

test('sessions end ends the sessions of one viewer or of all viewers in Redis', async () => {
  await openSessions('Ada@Example.com', 'Ada@Example.com', 'eve', 'bob')
  expect(await end('ada@example.com')).toMatchObject({ status: 0, stdout: 'Ended 2 sessions of ada@example.com.\n' })
  expect(JSON.parse((await end('--all', '--yes', '--json')).stdout)).toEqual({ ended: 2 })
  expect(await operator.keys('*')).toEqual([])
})

test('sessions list shows the sessions of all viewers in Redis, and none of their ids', async () => {
  await openSessions('ada', 'ada', 'bob')
  await operator.set('viewer-auth:session:unreadable', 'no session')
  const { status, stdout } = await run(['sessions', 'list', '--json'], { ...SETTINGS, SESSION_STORE_URL: redis.url })
  const rows = JSON.parse(stdout) as { username: string }[]
  expect([status, rows.map(({ username }) => username).toSorted()]).toEqual([0, ['ada', 'ada', 'bob']])
  expect(stdout).not.toContain('session-')
})

test('viewers unlock works in Redis and needs only LIMITS_STORE_URL', async () => {
  const limits = createSignInLimits(redisCounters(link))
  const attempt = async () => {
    const admission = await limits.admit('ada@example.com', '198.51.100.7')
    if (admission.ok) await admission.attempt.failed()
    return admission.ok
  }
  for (let count = 0; count < 6; count += 1) await attempt()
  expect(await attempt()).toBe(false)
  expect(await unlock('Ada@example.com')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Unlocked Ada@example\.com\./),
    stderr: '',
  })
  expect(await attempt()).toBe(true)
  expect(JSON.parse((await unlock('ada@example.com', '--json')).stdout)).toEqual({
    username: 'ada@example.com',
    unlocked: true,
  })
  expect(await unlock('eve')).toMatchObject({ status: 0, stdout: expect.stringContaining('eve') })
})

test('viewers unlock --address lets all viewers at an address try again, and leaves accounts as they are', async () => {
  const limits = createSignInLimits(redisCounters(link), { failures: 10, trustedNetworks: [] })
  const limitAt = async (username: string) => {
    const admission = await limits.admit(username, '2001:db8::7')
    if (admission.ok) await admission.attempt.failed()
    return admission.ok ? null : admission.limit
  }
  for (let count = 0; count < 10; count += 1) await limitAt(`viewer-${count % 2}`)
  expect(await limitAt('eve')).toBe('address')
  const unlocked = await run(['viewers', 'unlock', '--address', '2001:db8::9', '--json'], {
    LIMITS_STORE_URL: redis.url,
  })
  expect(JSON.parse(unlocked.stdout)).toEqual({ address: '2001:db8::9', addressUnlocked: true })
  expect(await limitAt('eve')).toBeNull()
  expect(await limitAt('viewer-0')).toBe('account-and-address')
})

test('viewers show tells failed sign-ins and sessions in Redis', async () => {
  const cwd = temporaryFolder()
  const env = { LIMITS_STORE_URL: redis.url, SESSION_STORE_URL: redis.url, VIEWER_PASSWORD: 'correct horse battery' }
  await runHere(['viewers', 'add', 'Ada'], { cwd, env })
  const show = async () => {
    const { status, stdout } = await runHere(['viewers', 'show', 'ada', '--json'], { cwd, env })
    return { status, ...JSON.parse(stdout) }
  }
  const limits = createSignInLimits(redisCounters(link))
  async function fail(address: string): Promise<void> {
    const admission = await limits.admit('ADA', address)
    if (admission.ok) await admission.attempt.failed()
  }
  await fail('192.0.2.1')
  for (let count = 0; count < 5; count += 1) await fail('2001:db8::1')
  await openSessions('ada', 'ada', 'eve')
  const { status, failedSignIns, sessions } = await show()
  expect(status).toBe(0)
  expect(sessions).toHaveLength(2)
  expect(failedSignIns).toMatchObject({ count: 6, lockedSeconds: 0 })
  expect(failedSignIns.addresses).toEqual([
    { address: '192.0.2.1', count: 1, waitSeconds: 0 },
    { address: '2001:db8:0:0', count: 5, waitSeconds: expect.any(Number) },
  ])
  for (let count = 0; count < 94; count += 1) await fail(`198.51.100.${count}`)
  expect((await show()).failedSignIns.lockedSeconds).toBeGreaterThan(80_000)
  const { stdout } = await runHere(['viewers', 'show', 'ada'], { cwd, env })
  expect(stdout).toContain('viewers unlock')
})

test('a Redis that does not answer is named within seconds, without its password', async () => {
  await redis.stop()
  onTestFinished(async () => {
    await redis.restart()
    operator = await openOperator(redis)
  })
  const { port } = redis
  const failureOf = (setting: string) =>
    expect.stringMatching(new RegExp(`^Failed: ${setting}: .*127\\.0\\.0\\.1:${port}.*\\n$`))
  expect(await end('ada')).toEqual({ status: 1, stdout: '', stderr: failureOf('SESSION_STORE_URL') })
  expect(await unlock('ada')).toEqual({ status: 1, stdout: '', stderr: failureOf('LIMITS_STORE_URL') })
  const cwd = temporaryFolder()
  const env = { LIMITS_STORE_URL: redis.url, SESSION_STORE_URL: redis.url, VIEWER_PASSWORD: 'correct horse battery' }
  await runHere(['viewers', 'add', 'ada'], { cwd, env })
  const { status, stdout } = await runHere(['viewers', 'show', 'ada', '--json'], { cwd, env })
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ state: 'active', failedSignIns: null, sessions: null })
  expect((JSON.parse(stdout) as { faults: string[] }).faults).toHaveLength(2)
  expect(stdout).not.toContain('REDISMARKER')
})
