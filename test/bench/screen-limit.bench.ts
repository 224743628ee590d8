import { join } from 'node:path'
import type { BenchPart, BenchRun } from './bench-part.ts'
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
const REQUESTS = raceRequests(WARM_UP_REQUESTS)
const usernameOf = (index: number) => `viewer${index % Math.ceil(REQUESTS / SCREENS)}@screens.example`

/** Measures what a place costs a returning viewer, in a file and in memory. */
export const screenLimit: BenchPart = {
  name: 'screen-limit',
  expectedSeconds: 30,
  async *rows(run) {
    await using children = openChildren()
    const viewers = { USER_STORE_URL: await importViewers(run) }
    const limited = { ...viewers, SCREENS_PER_VIEWER: String(SCREENS) }
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
    const row = (name: string, of: 'inFile' | 'inMemory'): BenchRow => ({
      name: `GET / of a returning viewer with ${SCREENS} screens ${name}, against no limit`,
      unit: 'µs CPU per request',
      ...compared(
        rounds,
        (round) => round[of],
        ({ without }) => without,
      ),
      target: TARGET,
    })
    yield row('in SQLite', 'inFile')
    yield row('in memory', 'inMemory')
  },
}

/** Imports as many viewers as have one session for each screen. Returns the address of their store. */
async function importViewers({ installation: { folder, passwordHash } }: BenchRun): Promise<string> {
  const USER_STORE_URL = `sqlite:${join(folder, 'screens-viewers.db')}`
  const viewers = join(folder, 'screens-viewers.csv')
  await writeViewerFile(viewers, Math.ceil(REQUESTS / SCREENS), passwordHash, { nameOf: usernameOf })
  await runCommandLine(['viewers', 'import', viewers], { USER_STORE_URL })
  return USER_STORE_URL
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
