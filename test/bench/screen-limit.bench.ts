import { join } from 'node:path'
import { startRedis } from '../redis/servers/redis.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { type BenchPart, type BenchRun, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared } from './bench-row.ts'
import { type Children, openChildren } from './child.ts'
import { runCommandLine } from './command-line.ts'
import { type Contestant, cpuRace, raceRequests } from './cpu-race.ts'
import type { Environment } from './installation.ts'
import { writeViewerFile } from './many-viewers.ts'
import { returning } from './session-list.ts'

const WARM_UP_REQUESTS = 8_000
const TARGET = { atMost: 1.1 }
/** The browsers of a viewer. Each has a session, and none is refused. */
const SCREENS = 2
const LIMIT = { SCREENS_PER_VIEWER: String(SCREENS) }
const REQUESTS = raceRequests(WARM_UP_REQUESTS)
const usernameOf = (index: number) => `viewer${index % Math.ceil(REQUESTS / SCREENS)}@screens.example`

/** Measures what a place costs a returning viewer, in a file, in memory and in Redis. */
export const screenLimit: BenchPart = {
  name: 'screen-limit',
  expectedSeconds: 60,
  async *rows(run) {
    const viewersFile = await writeViewers(run)
    yield* unlessFailed('Screens with files', () => fileRows(run, viewersFile))
    yield* unlessFailed('Screens with Redis and PostgreSQL', () => sharedRow(run, viewersFile))
  },
}

async function fileRows(run: BenchRun, viewersFile: string): Promise<BenchRow[]> {
  await using children = openChildren()
  const viewers = { USER_STORE_URL: `sqlite:${join(run.installation.folder, 'screens-viewers.db')}` }
  await runCommandLine(['viewers', 'import', viewersFile], viewers)
  const limited = { ...viewers, ...LIMIT }
  const rounds = await cpuRace(
    run,
    'Returning viewer with screens',
    {
      without: await contestantOf(run, children, 'without', viewers),
      inFile: await contestantOf(run, children, 'file', limited),
      inMemory: await contestantOf(run, children, 'memory', { ...limited, LIMITS_STORE_URL: 'memory:' }),
    },
    WARM_UP_REQUESTS,
  )
  return [rowOf(rounds, 'in SQLite', 'inFile'), rowOf(rounds, 'in memory', 'inMemory')]
}

/** Measures several copies' shape: sessions and places in Redis, viewers in PostgreSQL. */
async function sharedRow(run: BenchRun, viewersFile: string): Promise<BenchRow> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  try {
    await using children = openChildren()
    const USER_STORE_URL = postgres.url({ database: await postgres.createDatabase() })
    for (const command of ['migrate', 'import']) {
      const files = command === 'import' ? [viewersFile] : []
      await runCommandLine(['viewers', command, ...files], { USER_STORE_URL })
    }
    const shared = (database: number, settings: Environment) => {
      const url = `${redis.url}/${database}`
      const stores = { USER_STORE_URL, SESSION_STORE_URL: url, LIMITS_STORE_URL: url }
      return contestantOf(run, children, `shared-${database}`, { ...stores, ...settings })
    }
    const contestants = { without: await shared(0, {}), inRedis: await shared(1, LIMIT) }
    const rounds = await cpuRace(run, 'Returning viewer with screens in Redis', contestants, WARM_UP_REQUESTS)
    return rowOf(rounds, 'in Redis, viewers in PostgreSQL', 'inRedis')
  } finally {
    await Promise.all([redis.remove(), postgres.stop()])
  }
}

function rowOf<K extends string>(rounds: readonly Record<K | 'without', number>[], name: string, of: K): BenchRow {
  return {
    name: `GET / of a returning viewer with ${SCREENS} screens ${name}, against no limit`,
    unit: 'µs CPU per request',
    ...compared(
      rounds,
      (round) => round[of],
      ({ without }) => without,
    ),
    target: TARGET,
  }
}

/** Writes a file of as many viewers as have one session for each screen. */
async function writeViewers({ installation: { folder, passwordHash } }: BenchRun): Promise<string> {
  const viewersFile = join(folder, 'screens-viewers.csv')
  await writeViewerFile(viewersFile, Math.ceil(REQUESTS / SCREENS), passwordHash, { nameOf: usernameOf })
  return viewersFile
}

/** Starts a login app with sessions of its own: the first return of a session costs more. */
async function contestantOf(
  { installation }: BenchRun,
  { start }: Children,
  name: string,
  settings: Environment,
): Promise<Contestant> {
  const { folder, addSessions, environment, loginApp } = installation
  const stores = {
    SESSION_STORE_URL: `sqlite:${join(folder, `screens-${name}.db`)}`,
    LIMITS_STORE_URL: `sqlite:${join(folder, `screens-${name}-limits.db`)}`,
  }
  const env: Environment = { ...environment, ...stores, ...settings }
  const sessions = await addSessions(REQUESTS, env, usernameOf)
  const request = returning('__Host-viewer', sessions, environment.SESSION_SECRET ?? '')
  return { child: await start(loginApp(env)), request, status: 303 }
}
