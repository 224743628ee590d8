import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRedis } from '../redis/servers/redis.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { type BenchPart, type BenchRun, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared, type FailedRow, median } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import { answerOf } from './connection.ts'
import { type Contestant, cpuRace, RACE_REQUESTS } from './cpu-race.ts'
import { type Environment, type Installation, PLAYER_ORIGIN, RETURN_URL } from './installation.ts'
import type { MakeRequest } from './load.ts'
import { importViewers } from './many-viewers.ts'
import { getRequest } from './requests.ts'
import { type ListedSession, returning, writeSessionList } from './session-list.ts'

const UNIT = 'µs CPU per request'

/**
 * Measures the CPU time of the server process per answer: the screen, and the redirect of a returning viewer. The
 * baselines are plain apps, and node:http with the same bytes.
 */
export const requests: BenchPart = {
  name: 'requests',
  expectedSeconds: 50,
  async *rows(run) {
    yield* loginRows(run)
    yield* unlessFailed('GET / of a returning viewer by store', () => storeRows(run))
  },
}

async function* loginRows(run: BenchRun): AsyncGenerator<BenchRow | FailedRow> {
  await using children = openChildren()
  const servers = await startServers(run.installation, children)
  yield* unlessFailed('GET / without a session', () => pageRow(run, servers))
  yield* unlessFailed('GET / of a returning viewer', () => returningRows(run, servers))
}

interface Servers {
  readonly login: Child
  /** Express with sessions in memory, without look-up and log. */
  readonly plain: Child
  /** Express and fastify with the duties of the login app. */
  readonly duties: Child
  readonly fastify: Child
  readonly bareOf: (name: string, request: Buffer, status: number) => Promise<Child>
  readonly sessions: readonly ListedSession[]
}

async function startServers(
  { folder, environment, addSessions, loginApp }: Installation,
  { start }: Children,
): Promise<Servers> {
  const sessions = await addSessions(RACE_REQUESTS + 1)
  const sessionList = join(folder, 'sessions.json')
  writeSessionList(sessionList, sessions)
  const login = await start(loginApp())
  const { HASH_SECRET: hashSecret, SESSION_SECRET: sessionSecret } = environment
  const settings = JSON.stringify({ playerOrigin: PLAYER_ORIGIN, returnUrl: RETURN_URL, hashSecret, sessionSecret })
  const plainApp = (script: string, ...args: string[]) =>
    start({ script, args: [settings, sessionList, ...args], folder })
  const plain = await plainApp('serve-plain-express.ts')
  const duties = await plainApp('serve-plain-express.ts', join(folder, 'plain-duties.db'))
  const { headers } = await answerOf(plain.port, getRequest(0, null), 200)
  const ofHelmet = headers.filter(([name]) => !/^(content-(type|length)|date|connection|keep-alive|etag)$/i.test(name))
  const headersJson = JSON.stringify(Object.fromEntries(ofHelmet))
  const fastify = await plainApp('serve-fastify.ts', join(folder, 'fastify.db'), headersJson)
  async function bareOf(name: string, request: Buffer, status: number): Promise<Child> {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(await answerOf(login.port, request, status)))
    return await start({ script: 'serve-bare-http.ts', args: [file], folder })
  }
  return { login, plain, duties, fastify, bareOf, sessions }
}

async function pageRow(run: BenchRun, { login, plain, fastify, bareOf }: Servers): Promise<BenchRow> {
  const page = (child: Child): Contestant => ({ child, request: (index) => getRequest(index, null), status: 200 })
  const rounds = await cpuRace(run, 'GET / without a session', {
    login: page(login),
    plain: page(plain),
    fastify: page(fastify),
    bare: page(await bareOf('page.json', getRequest(0, null), 200)),
  })
  return {
    name: 'GET / without a session, against plain Express',
    unit: UNIT,
    ...compared(
      rounds,
      ({ login }) => login,
      ({ plain }) => plain,
    ),
    target: { atMost: 0.5 },
    note: `fastify ${microsOf(rounds, 'fastify')} µs; bare node:http with the same bytes ${microsOf(rounds, 'bare')} µs`,
  }
}

async function returningRows(run: BenchRun, servers: Servers): Promise<BenchRow[]> {
  const { installation } = run
  const { login, plain, duties, fastify, bareOf, sessions } = servers
  const secret = installation.environment.SESSION_SECRET ?? ''
  const withCookie = (child: Child, name: string) => returner(child, returning(name, sessions, secret))
  const last = returning('__Host-viewer', sessions, secret)(RACE_REQUESTS)
  const rounds = await cpuRace(run, 'GET / of a returning viewer', {
    login: withCookie(login, '__Host-viewer'),
    plain: withCookie(plain, 'connect.sid'),
    duties: withCookie(duties, 'connect.sid'),
    fastify: withCookie(fastify, 'connect.sid'),
    bare: withCookie(await bareOf('returning.json', last, 303), '__Host-viewer'),
  })
  return [
    {
      name: 'GET / of a returning viewer, against Express + duties',
      unit: UNIT,
      ...compared(
        rounds,
        ({ login }) => login,
        ({ duties }) => duties,
      ),
      target: { atMost: 0.6 },
      note: 'the duties: session and viewer in SQLite, last use written, a line in the log',
    },
    {
      name: 'GET / of a returning viewer, against fastify + duties',
      unit: UNIT,
      ...compared(
        rounds,
        ({ login }) => login,
        ({ fastify }) => fastify,
      ),
    },
    {
      name: 'GET / of a returning viewer, against plain Express',
      unit: UNIT,
      ...compared(
        rounds,
        ({ login }) => login,
        ({ plain }) => plain,
      ),
      note: `bare node:http with the same bytes ${microsOf(rounds, 'bare')} µs`,
    },
  ]
}

/** Compares the stores behind a network with the files of SQLite, for a returning viewer. */
async function* storeRows(run: BenchRun): AsyncGenerator<BenchRow> {
  const { environment } = run.installation
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  try {
    const USER_STORE_URL = postgres.url({ database: await postgres.createDatabase() })
    await importViewers(run.installation, USER_STORE_URL)
    yield* await rowsByStore(run, {
      sqlite: environment,
      redis: { ...environment, SESSION_STORE_URL: redis.url },
      postgres: { ...environment, USER_STORE_URL },
      both: { ...environment, SESSION_STORE_URL: `${redis.url}/1`, USER_STORE_URL },
    })
  } finally {
    await Promise.all([redis.remove(), postgres.stop()])
  }
}

type ByStore<T> = Readonly<Record<'sqlite' | 'redis' | 'postgres' | 'both', T>>

async function rowsByStore(run: BenchRun, environments: ByStore<Environment>) {
  const { installation } = run
  await using children = openChildren()
  const contestantOf = async (env: Environment): Promise<Contestant> => {
    const sessions = await installation.addSessions(RACE_REQUESTS, env)
    const child = await children.start(installation.loginApp(env))
    return returner(child, returning('__Host-viewer', sessions, env.SESSION_SECRET ?? ''))
  }
  const rounds = await cpuRace(run, 'Returning viewer by store', {
    sqlite: await contestantOf(environments.sqlite),
    redis: await contestantOf(environments.redis),
    postgres: await contestantOf(environments.postgres),
    both: await contestantOf(environments.both),
  })
  const rowOf = (name: string, store: 'redis' | 'postgres' | 'both'): BenchRow => ({
    name: `GET / with ${name}, against SQLite`,
    unit: UNIT,
    ...compared(
      rounds,
      (round) => round[store],
      ({ sqlite }) => sqlite,
    ),
    target: { atMost: 1.4 },
    note: 'CPU of the login app only, without the server of the store',
  })
  return [
    rowOf('sessions in Redis', 'redis'),
    rowOf('viewers in PostgreSQL', 'postgres'),
    rowOf('Redis and PostgreSQL', 'both'),
  ]
}

function returner(child: Child, request: MakeRequest): Contestant {
  return { child, request, status: 303 }
}

function microsOf<K extends string>(rounds: readonly Record<K, number>[], key: K): string {
  return median(rounds.map((round) => round[key])).toFixed(0)
}
