import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { startRedis } from '../redis/servers/redis.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { type BenchPart, type BenchRun, inRounds, MOST_REPEATS, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared, measured } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import { type Environment, usernameOf } from './installation.ts'
import { closedLoad, type MakeRequest } from './load.ts'
import { importViewers } from './many-viewers.ts'
import { getRequest, signInRequest } from './requests.ts'
import { returning } from './session-list.ts'
import { allDone, expectOnly } from './unexpected-answers.ts'

const SIDES = [1, 2, 4] as const
const ROUNDS = 5
/** Requests of one copy before the first round: V8 has compiled then. */
const WARM_UP_RETURNS = 5_000
const RETURNS = 1_200
const PAGES = 1_200
/** Few, as each hashes a password. */
const SIGN_INS = 96
/** Connections to each copy: with more, a copy sends its questions to Redis in larger batches. */
const CONNECTIONS = 8
/** More sign-ins at once would wait too long for their hash. */
const SIGN_INS_AT_ONCE = 2
const TARGET = { atMost: 1.05 }

/** What one viewer costs the copies of an event, which share Redis and PostgreSQL, and what it asks of these two. */
export const copies: BenchPart = {
  name: 'copies',
  expectedSeconds: 120,
  async *rows(run) {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    try {
      const database = await postgres.createDatabase()
      const environment = await sharedEnvironment(run, redis.url, postgres.url({ database }))
      const servers = await openCounts(redis.url, postgres.query, database)
      await using children = openChildren()
      const sides = await startSides(run, children, environment)
      yield* unlessFailed('Connections of a copy', () => connectionRows(sides, servers))
      yield* unlessFailed('Returns at several copies', () => returnRows(run, sides, environment, servers))
      yield* unlessFailed('Pages at several copies', () => workRows(run, sides, PAGE))
      yield* unlessFailed('Sign-ins at several copies', () => signInRows(run, sides, servers))
      servers.close()
    } finally {
      await Promise.all([redis.remove(), postgres.stop()])
    }
  },
}

async function sharedEnvironment(
  { installation }: BenchRun,
  redisUrl: string,
  postgresUrl: string,
): Promise<Environment> {
  await importViewers(installation, postgresUrl)
  const stores = { USER_STORE_URL: postgresUrl, SESSION_STORE_URL: redisUrl, LIMITS_STORE_URL: redisUrl }
  return { ...installation.environment, ...stores }
}

/** An event on so many copies. */
type Side = readonly Child[]
type Sides = ReadonlyMap<number, Side>

async function startSides({ installation }: BenchRun, children: Children, environment: Environment): Promise<Sides> {
  const sides = new Map<number, Side>()
  for (const count of SIDES) {
    const side = Array.from({ length: count }, () => children.start(installation.loginApp(environment)))
    sides.set(count, await Promise.all(side))
  }
  return sides
}

interface Work {
  readonly name: string
  readonly request: MakeRequest
  readonly status: number
  /** Requests of a side in each round. */
  readonly count: number
  /** Requests of each copy before the first round. */
  readonly warmUp: number
  /** Connections to each copy. */
  readonly connections: number
}

const PAGE: Work = {
  name: 'GET / without a session',
  request: (index) => getRequest(index, null),
  status: 200,
  count: PAGES,
  warmUp: WARM_UP_RETURNS,
  connections: CONNECTIONS,
}

/** Measures a piece of work at each side by turns. Each number of a request is used once, by one side. */
async function workRows(
  run: BenchRun,
  sides: Sides,
  work: Work,
  measure: (copies: Side, from: number) => Promise<number> = (copies, from) =>
    cpuMicros(copies, work, from, work.count),
): Promise<BenchRow[]> {
  const { name, warmUp, count } = work
  let next = 0
  const take = (requests: number) => {
    next += requests
    return next - requests
  }
  for (const [number, copies] of sides) {
    run.progress(`${name}, warm-up of ${number}`)
    const requests = warmUp * copies.length
    await cpuMicros(copies, work, take(requests), requests)
  }
  const rounds = await inRounds(ROUNDS, run, `${name} by copies`, async () => {
    const figures = new Map<number, number>()
    for (const [number, copies] of sides) figures.set(number, await measure(copies, take(count)))
    return figures
  })
  const figureOf = (copies: number) => (round: ReadonlyMap<number, number>) => round.get(copies) ?? Number.NaN
  const one: BenchRow = { name: `${name}, Redis and PostgreSQL`, unit: MICROS, ...measured(rounds, figureOf(1)) }
  const more = SIDES.filter((number) => number > 1).map((number) => ({
    name: `${name}, ${number} copies against one`,
    unit: MICROS,
    ...compared(rounds, figureOf(number), figureOf(1)),
    target: TARGET,
  }))
  return [one, ...more]
}

const MICROS = 'µs CPU of all copies'

/** Returns the CPU time of all copies for each request. The copies get the requests in turn. */
async function cpuMicros(
  copies: Side,
  { request, status, connections }: Work,
  from: number,
  count: number,
): Promise<number> {
  const usedMicros = async () => {
    const usages = await Promise.all(copies.map((copy) => copy.usage()))
    return usages.reduce((sum, usage) => sum + usage.cpuMicros, 0)
  }
  const share = count / copies.length
  const before = await usedMicros()
  const loads = copies.map(({ port }, copy) =>
    closedLoad({
      port,
      connections,
      request: (sent) => request(from + copy + sent * copies.length),
      goesOn: (sent) => sent < share,
    }),
  )
  for (const { statuses } of await allDone(loads)) expectOnly([status], statuses)
  return ((await usedMicros()) - before) / count
}

/** The requests of one piece of work, with those of repeated rounds. */
function requestsOf({ warmUp, count }: Pick<Work, 'warmUp' | 'count'>): number {
  const copies = SIDES.reduce<number>((sum, number) => sum + number, 0)
  return warmUp * copies + (ROUNDS + MOST_REPEATS) * SIDES.length * count + count
}

async function returnRows(run: BenchRun, sides: Sides, environment: Environment, servers: Counts) {
  const amounts = { count: RETURNS, warmUp: WARM_UP_RETURNS, connections: CONNECTIONS }
  const sessions = await run.installation.addSessions(requestsOf(amounts), environment)
  const request = returning('__Host-viewer', sessions, environment.SESSION_SECRET ?? '')
  const work: Work = { name: 'GET / of a returning viewer', request, status: 303, ...amounts }
  const rows = await workRows(run, sides, work)
  const last = requestsOf(amounts) - RETURNS
  return [...rows, ...(await askedRows('a return', servers, sides.get(1) ?? [], work, last))]
}

async function signInRows(run: BenchRun, sides: Sides, servers: Counts) {
  const { password } = run.installation
  const request: MakeRequest = (index) => signInRequest(index, usernameOf(index), password)
  const amounts = { count: SIGN_INS, warmUp: SIGN_INS, connections: SIGN_INS_AT_ONCE }
  const work: Work = { name: 'Sign-in', request, status: 303, ...amounts }
  const rows = await workRows(run, sides, work)
  return [...rows, ...(await askedRows('a sign-in', servers, sides.get(1) ?? [], work, requestsOf(work) - SIGN_INS))]
}

/** The counters of both servers. */
interface Counts {
  redisMicros(): Promise<number>
  redisBytes(): Promise<number>
  redisClients(): Promise<number>
  postgresTransactions(): Promise<number>
  postgresClients(): Promise<number>
  close(): void
}

type Query = (sql: string, values?: readonly unknown[]) => Promise<{ readonly rows: readonly { value: unknown }[] }>

async function openCounts(redisUrl: string, query: Query, database: string): Promise<Counts> {
  const client = await createClient({ url: redisUrl }).connect()
  const info = async (field: string) =>
    Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(String(await client.info('everything')))?.[1] ?? Number.NaN)
  const value = async (sql: string) => Number((await query(sql, [database])).rows[0]?.value)
  return {
    redisMicros: async () => ((await info('used_cpu_sys')) + (await info('used_cpu_user'))) * 1e6,
    redisBytes: () => info('used_memory'),
    redisClients: () => info('connected_clients'),
    // The counters of a connection are written a second after its last work.
    postgresTransactions: () => value('SELECT xact_commit AS value FROM pg_stat_database WHERE datname = $1'),
    postgresClients: () => value('SELECT numbackends AS value FROM pg_stat_database WHERE datname = $1'),
    close: () => client.destroy(),
  }
}

const WRITTEN_MS = 1_500

/** What one viewer asks of both servers. */
async function askedRows(what: string, servers: Counts, side: Side, work: Work, from: number): Promise<BenchRow[]> {
  const read = async () => {
    await sleep(WRITTEN_MS)
    return [await servers.redisMicros(), await servers.postgresTransactions(), await servers.redisBytes()] as const
  }
  const before = await read()
  await cpuMicros(side, work, from, work.count)
  const after = await read()
  const each = (index: 0 | 1 | 2) => (after[index] - before[index]) / work.count
  return [
    { name: `CPU of Redis for ${what}`, unit: 'µs', value: each(0) },
    { name: `PostgreSQL transactions of ${what}`, unit: 'transactions', value: each(1) },
    { name: `Memory of Redis for ${what}`, unit: 'bytes', value: each(2) },
  ]
}

async function connectionRows(sides: Sides, servers: Counts): Promise<BenchRow[]> {
  const copies = [...sides.values()].flat().length
  const ofBench = 1
  return [
    {
      name: 'Redis connections of a copy',
      unit: 'connections',
      value: ((await servers.redisClients()) - ofBench) / copies,
    },
    {
      name: 'PostgreSQL connections of an idle copy',
      unit: 'connections',
      value: (await servers.postgresClients()) / copies,
    },
  ]
}
