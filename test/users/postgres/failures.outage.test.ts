import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { UserStore, Warn } from '../../../src/users/user-store.ts'
import { expectSurvived } from '../remote/outage.ts'
import { password, signInRun } from '../sign-in-run.ts'
import { CUSTOMERS_TABLE, databaseWithAda, openQuickStore } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

const TIMEOUT_MS = 500
/** The timeout, and time for late timers on a busy machine. */
const IN_TIME_MS = TIMEOUT_MS + 2_000

let server: PostgresServer
let ada: { database: string; user: string; url: string }
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(async () => {
  ada = await databaseWithAda(server)
})

function openStore(environment: Readonly<Record<string, string>> = {}, warn: Warn = () => {}): Promise<UserStore> {
  return openQuickStore(ada.url, environment, { timeoutMs: TIMEOUT_MS, warn })
}

/** Ends the connections of the app's role, as a failover does. */
async function disconnect(user: string): Promise<void> {
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [user])
}

const OUTAGES: readonly [how: string, fail: () => Promise<unknown>, restore: () => Promise<unknown>][] = [
  ['that is stopped', () => server.halt(), () => server.restart()],
  ['that is paused', () => Promise.resolve(server.pause()), () => Promise.resolve(server.resume())],
  [
    'without free connections',
    async () => {
      await server.query(`ALTER ROLE ${ada.user} CONNECTION LIMIT 0`)
      await disconnect(ada.user)
    },
    () => server.query(`ALTER ROLE ${ada.user} CONNECTION LIMIT -1`),
  ],
  [
    'that no longer takes the password',
    async () => {
      await server.query(`ALTER ROLE ${ada.user} PASSWORD 'another'`)
      await disconnect(ada.user)
    },
    () => server.query(`ALTER ROLE ${ada.user} PASSWORD '${ada.user}'`),
  ],
  [
    'that no longer allows SELECT',
    () => server.query(`REVOKE SELECT ON viewer_auth.viewers FROM ${ada.user}`, [], ada.database),
    () => server.query(`GRANT SELECT ON viewer_auth.viewers TO ${ada.user}`, [], ada.database),
  ],
]

test.each(OUTAGES)(
  'a server %s gives errors within the timeout, admits no viewer, and serves again after its return',
  async (_how, fail, restore) => {
    const store = await openStore()
    await expectSurvived(store, { fail, restore }, { timeoutMs: TIMEOUT_MS, inTimeMs: IN_TIME_MS })
  },
)

test('a server that restarts fails single sign-ins, and gives no wrong answer', async () => {
  const run = signInRun(await openStore())
  const end = run.start()
  onTestFinished(end)
  await run.until('in')
  await server.restart()
  await run.recover()
  await end()
  expect(run.longestMs()).toBeLessThan(IN_TIME_MS)
})

test('a hung server delays the first sign-ins for one timeout, and the next fail at once', async () => {
  const store = await openStore()
  await store.checkHealth()
  server.pause()
  onTestFinished(() => server.resume())
  await Promise.allSettled(Array.from({ length: 20 }, () => store.authenticate('ada', password)))
  const start = performance.now()
  for (let count = 0; count < 50; count += 1) {
    await expect(store.find?.('ada')).rejects.toThrow(UpstreamError)
  }
  // One of the requests may be the trial of the circuit breaker.
  expect(performance.now() - start).toBeLessThan(2 * IN_TIME_MS)
})

test('a hung server does not block the closing of the store', async () => {
  const store = await openStore()
  await store.checkHealth()
  server.pause()
  onTestFinished(() => server.resume())
  const start = performance.now()
  await store.close()
  expect(performance.now() - start).toBeLessThan(IN_TIME_MS)
})

test('a pool of two connections serves a hundred viewers, and opens no third connection', async () => {
  const store = await openStore({ POSTGRES_POOL_SIZE: '2' })
  // The hashing queue refuses more than 20 at once.
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.authenticate('ada', password)))
    expect(answers.every(({ ok }) => ok)).toBe(true)
  }
  const sql = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = $1'
  expect((await server.query(sql, [ada.user])).rows).toEqual([{ count: 2 }])
})

test('a pool blocked by slow statements fails within the timeout, and the server cancels them', async () => {
  const rows = `INSERT INTO app_user (login, pass) VALUES ('ada', 'quick:${password}')`
  await server.query(`${CUSTOMERS_TABLE}; ${rows}; GRANT SELECT ON app_user TO ${ada.user}`, [], ada.database)
  const store = await openStore({
    POSTGRES_POOL_SIZE: '2',
    POSTGRES_QUERY: 'SELECT login AS username, pass AS password_hash FROM app_user, pg_sleep(30) WHERE login = $1',
  })
  const run = signInRun(store)
  const end = run.start()
  onTestFinished(end)
  await run.until('away')
  await sleep(TIMEOUT_MS)
  await end()
  expect(run.longestMs()).toBeLessThan(IN_TIME_MS)
  expect(run.outcomes.every(({ outcome }) => outcome === 'away' || outcome === 'busy')).toBe(true)
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE state = 'active' AND usename = $1`
  const left = async () => (await server.query(sql, [ada.user])).rows
  await expect.poll(left, { timeout: 10_000 }).toEqual([{ count: 0 }])
})

/** A TCP proxy whose connections can go silent without being closed, as behind a failed firewall. */
async function silencingProxy(): Promise<{ port: number; silence: () => void }> {
  const pairs: [Socket, Socket][] = []
  const proxy = createServer((near) => {
    const far = connect(server.port, server.host)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => {})
    pairs.push([near, far])
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    proxy.close()
    for (const socket of pairs.flat()) socket.destroy()
  })
  const silence = () => {
    for (const [near, far] of pairs) {
      near.unpipe(far)
      far.unpipe(near)
    }
  }
  return { port: (proxy.address() as AddressInfo).port, silence }
}

test('a connection that went silent is closed after the timeout, and a new one replaces it', async () => {
  const { port, silence } = await silencingProxy()
  const url = new URL(ada.url)
  url.port = String(port)
  const store = await openQuickStore(url.href, { POSTGRES_POOL_SIZE: '1' }, { timeoutMs: TIMEOUT_MS })
  const run = signInRun(store)
  const end = run.start()
  onTestFinished(end)
  await run.until('in')
  silence()
  await run.until('away')
  run.outcomes.length = 0
  await run.until('in')
  await end()
  expect(run.longestMs()).toBeLessThan(IN_TIME_MS)
})
