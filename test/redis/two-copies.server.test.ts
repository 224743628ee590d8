import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EditableUserStore } from '../../src/users/editable-user-store.ts'
import { ADMITTED } from '../login/admitted.ts'
import { ADA, programSettings } from '../login/login-program.ts'
import { type Copy, isPassedOn, readinessOf, returnTo, signInAt, type Visit } from '../login/program-visits.ts'
import { type LoginProgram, startLoginProgram } from '../login/start-program.ts'
import { migratedStore } from '../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../users/postgres/server.ts'
import { type RedisServer, startRedis } from './servers/redis.ts'

/** Two processes of the login app share one PostgreSQL and one Redis, as in compose.yaml. */

const VIEWERS = 40
/** Visits at the same time. Two cores handle so many without refusing any. */
const AT_A_TIME = 6

let postgres: PostgresServer
let redis: RedisServer
let users: EditableUserStore
let copies: readonly [LoginProgram, LoginProgram]

beforeAll(async () => {
  const servers = await Promise.all([startPostgres(), startRedis({ password: 'REDISMARKER' })])
  postgres = servers[0]
  redis = servers[1]
})
afterAll(() => Promise.all([postgres.stop(), redis.remove()]))

beforeEach(async () => {
  const url = postgres.url({ database: await postgres.createDatabase() })
  users = await migratedStore(url)
  await users.add({ username: ADA.username, ...ADMITTED }, ADA.password)
  const settings = {
    ...programSettings(),
    USER_STORE_URL: url,
    SESSION_STORE_URL: redis.url,
    LIMITS_STORE_URL: redis.url,
    REDIS_KEY_PREFIX: `test-${Math.random()}:`,
  }
  copies = await Promise.all([startLoginProgram(settings), startLoginProgram(settings)])
})

async function signedIn(copy: Copy): Promise<string> {
  const visit = await signInAt(copy)
  if (!isPassedOn(visit) || visit.cookie === null) expect.unreachable(`no session: ${visit.status}`)
  return visit.cookie
}

describe('two copies of the login app', () => {
  test('a session of one copy works at the other', async () => {
    const [one, two] = copies
    expect(await Promise.all(copies.map(readinessOf))).toEqual([
      [200, 'ready'],
      [200, 'ready'],
    ])
    const cookie = await signedIn(one)
    for (const copy of [two, one, two]) expect(isPassedOn(await returnTo(copy, cookie))).toBe(true)
  })

  test('both copies count failed sign-ins together', async () => {
    const [one, two] = copies
    const statuses = []
    for (const copy of [one, two, one, two, one, two, one, two]) {
      statuses.push((await signInAt(copy, { ...ADA, password: 'wrong' })).status)
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401])
    // Each copy has seen four, which alone are free. On a slow machine, the first wait of a second may be over.
    expect(statuses.slice(5)).toContain(429)
  })

  test('every viewer gets through at the second try when one copy is killed', async () => {
    const viewers = Array.from({ length: VIEWERS }, (_, index) => ({
      username: `viewer${index}@example.com`,
      password: `${ADA.password} ${index}`,
    }))
    for (const { username, password } of viewers) await users.add({ username, ...ADMITTED }, password)
    const tries: number[] = []
    let turn = 0
    /** Acts as a balancer without health checks: uses the copies in turn, and retries once at the other copy. */
    async function balanced(visit: (copy: Copy) => Promise<Visit>): Promise<Visit> {
      const first = turn++
      for (let tried = 0; ; tried += 1) {
        const outcome = await visit(copies[(first + tried) % 2 === 0 ? 0 : 1]).catch((error: unknown) => error)
        const isAnswered = !(outcome instanceof Error) && (outcome as Visit).status < 500
        if (isAnswered) tries.push(tried + 1)
        if (isAnswered) return outcome as Visit
        if (tried === 1) throw new Error('A viewer did not get through at the second try', { cause: outcome })
      }
    }
    async function watch(form: { username: string; password: string }): Promise<void> {
      const first = await balanced((copy) => signInAt(copy, form))
      const { cookie } = first
      if (!isPassedOn(first) || cookie === null) expect.unreachable(`${form.username}: ${first.status}`)
      // Two visits only: a fourth response within ten seconds would count as a redirect loop.
      for (let visit = 0; visit < 2; visit += 1) {
        expect(isPassedOn(await balanced((copy) => returnTo(copy, cookie)))).toBe(true)
        if (tries.length >= VIEWERS) copies[0].child.kill('SIGKILL')
      }
    }
    const waiting = [...viewers]
    async function watchInTurn(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) await watch(next)
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, watchInTurn))
    expect(await copies[0].ended).toMatchObject({ signal: 'SIGKILL' })
    expect(tries).toHaveLength(3 * VIEWERS)
    expect(tries.filter((tried) => tried === 2).length).toBeGreaterThan(VIEWERS / 4)
    expect(await readinessOf(copies[1])).toEqual([200, 'ready'])
  })
})
