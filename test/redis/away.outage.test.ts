import { createClient } from '@redis/client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ADA, addAda, programSettings } from '../login/login-program.ts'
import { isPassedOn, readinessOf, returnTo, signInAt, signOutAt, type Visit } from '../login/program-visits.ts'
import { type LoginProgram, startLoginProgram } from '../login/start-program.ts'
import { type RedisServer, startRedis } from './servers/redis.ts'

const PASSWORD = 'REDISMARKER p@ss/w#%rd'
/** Half a second for Redis, once per outage. The rest is for the password check on a busy machine. */
const AT_MOST_MS = 4_000
const WRONG = { ...ADA, password: 'wrong' }

let redis: RedisServer
let settings: Record<string, string>
beforeEach(async () => {
  redis = await startRedis({ password: PASSWORD })
  onTestFinished(() => redis.remove())
  settings = { ...programSettings(), SESSION_STORE_URL: redis.url, LIMITS_STORE_URL: redis.url }
  await addAda(settings)
})

async function start(more: Record<string, string> = {}): Promise<LoginProgram> {
  return await startLoginProgram({ ...settings, ...more })
}

function expectWithoutSession(visit: Visit): void {
  expect(isPassedOn(visit)).toBe(true)
  expect(visit.cookie).toBeNull()
  expect(visit.tookMs).toBeLessThan(AT_MOST_MS)
}

async function expectWithSession(program: LoginProgram): Promise<string> {
  const { cookie } = await signInAt(program)
  if (cookie === null) expect.unreachable('The sign-in got no session cookie')
  expect(isPassedOn(await returnTo(program, cookie))).toBe(true)
  return cookie
}

async function untilReadyIs(program: LoginProgram, word: string): Promise<void> {
  await expect.poll(() => readinessOf(program), { interval: 50, timeout: 15_000 }).toEqual([200, word])
}

function linesOf(program: LoginProgram, event: string): string[] {
  return program
    .output()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
}

describe('an outage of Redis', () => {
  test('viewers sign in while Redis is stopped, and get sessions again after its restart', async () => {
    const program = await start()
    expect(await readinessOf(program)).toEqual([200, 'ready'])
    const cookie = await expectWithSession(program)
    await redis.stop()
    await untilReadyIs(program, 'degraded')
    for (let viewer = 0; viewer < 5; viewer += 1) expectWithoutSession(await signInAt(program))
    expect((await returnTo(program, cookie)).status).toBe(200)
    expect((await signOutAt(program, cookie)).status).toBe(503)
    await redis.restart()
    await untilReadyIs(program, 'ready')
    await expectWithSession(program)
    expect(linesOf(program, 'redis-away')).toHaveLength(2)
    await expect.poll(() => linesOf(program, 'redis-back')).toHaveLength(2)
    expect(program.output()).not.toContain('REDISMARKER')
    expect(program.output()).not.toContain('The session store failed')
  })

  test('a Redis that hangs delays only the first viewers, and only by its timeout', async () => {
    const program = await start()
    const cookie = await expectWithSession(program)
    redis.pause()
    const first = await Promise.all(Array.from({ length: 4 }, () => signInAt(program)))
    for (const visit of first) expectWithoutSession(visit)
    const tookMs = []
    for (let viewer = 0; viewer < 8; viewer += 1) {
      const visit = await returnTo(program, cookie)
      expect(visit.status).toBe(200)
      tookMs.push(visit.tookMs)
    }
    // The fastest visit shows that Redis is not waited for. The machine may slow down the others.
    expect(Math.min(...tookMs)).toBeLessThan(400)
    expect(await readinessOf(program)).toEqual([200, 'degraded'])
    redis.resume()
    await untilReadyIs(program, 'ready')
    expect(isPassedOn(await returnTo(program, cookie))).toBe(true)
    await expectWithSession(program)
    redis.pause()
    program.child.kill('SIGTERM')
    expect(await program.ended).toMatchObject({ status: 0 })
  })

  test('the app starts without Redis, and uses it as soon as it answers', async () => {
    await redis.stop()
    const program = await start()
    expect(await readinessOf(program)).toEqual([200, 'degraded'])
    expectWithoutSession(await signInAt(program))
    await redis.restart()
    await untilReadyIs(program, 'ready')
    await expectWithSession(program)
  })

  test('the app works without Redis while the password is wrong, and uses Redis once it is right', async () => {
    const url = redis.url.replace(/:[^:@]+@/, ':another@')
    const program = await start({ SESSION_STORE_URL: url, LIMITS_STORE_URL: url })
    expect(await readinessOf(program)).toEqual([200, 'degraded'])
    expectWithoutSession(await signInAt(program))
    expect(program.output()).toContain('WRONGPASS')
    expect(program.output()).not.toContain('another')
    const operator = await createClient({ url: redis.url }).connect()
    await operator.configSet('requirepass', 'another')
    operator.destroy()
    await untilReadyIs(program, 'ready')
    await expectWithSession(program)
  })

  test('the app works without a Redis that is full, and logs the refusal', async () => {
    const program = await start()
    const operator = await createClient({ url: redis.url }).connect()
    onTestFinished(() => operator.destroy())
    await operator.configSet('maxmemory', '1')
    expectWithoutSession(await signInAt(program))
    expect(await readinessOf(program)).toEqual([200, 'degraded'])
    expect(linesOf(program, 'redis-refuses')[0]).toContain('OOM')
    await operator.configSet('maxmemory', '0')
    await expectWithSession(program)
  })

  test('failed sign-ins count in memory during an outage, and in Redis again afterwards', async () => {
    const program = await start()
    const guess = async () => (await signInAt(program, WRONG)).status
    const guesses = async (times: number) => {
      const statuses = []
      for (let count = 0; count < times; count += 1) statuses.push(await guess())
      return statuses
    }
    expect(await guesses(3)).toEqual([401, 401, 401])
    redis.pause()
    // Memory has no counts yet, so five are free. On a slow machine, the first wait of a second may pass meanwhile.
    const inMemory = await guesses(8)
    expect(inMemory.slice(0, 5)).toEqual([401, 401, 401, 401, 401])
    expect(inMemory.slice(5)).toContain(429)
    redis.resume()
    await untilReadyIs(program, 'ready')
    // Redis has counted three: two of five are left.
    const inRedis = await guesses(5)
    expect(inRedis.slice(0, 2)).toEqual([401, 401])
    expect(inRedis.slice(2)).toContain(429)
  })
})
