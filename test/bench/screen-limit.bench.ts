import { join } from 'node:path'
import type { BenchPart, BenchRun } from './bench-part.ts'
import { type BenchRow, compared } from './bench-row.ts'
import { type Children, openChildren } from './child.ts'
import { type Contestant, cpuRace, raceRequests } from './cpu-race.ts'
import type { Environment } from './installation.ts'
import { returning } from './session-list.ts'

const WARM_UP_REQUESTS = 8_000
const TARGET = { atMost: 1.1 }
/** A viewer of the benchmark has eight sessions, and none may be refused. */
const LIMITED = { SCREENS_PER_VIEWER: '20' }

/** Measures what a place costs a returning viewer, in a file and in memory. */
export const screenLimit: BenchPart = {
  name: 'screen-limit',
  expectedSeconds: 30,
  async *rows(run) {
    await using children = openChildren()
    const rounds = await cpuRace(
      run,
      'Returning viewer with one screen',
      {
        without: await contestantOf(run, children, 'without', {}),
        inFile: await contestantOf(run, children, 'file', LIMITED),
        inMemory: await contestantOf(run, children, 'memory', { ...LIMITED, LIMITS_STORE_URL: 'memory:' }),
      },
      WARM_UP_REQUESTS,
    )
    const row = (name: string, of: 'inFile' | 'inMemory'): BenchRow => ({
      name: `GET / of a returning viewer, screens ${name}, against no limit`,
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
  const sessions = await addSessions(raceRequests(WARM_UP_REQUESTS), env)
  const request = returning('__Host-viewer', sessions, environment.SESSION_SECRET ?? '')
  return { child: await start(loginApp(env)), request, status: 303 }
}
