import { join } from 'node:path'
import type { BenchPart, BenchRun } from './bench-part.ts'
import { type BenchRow, compared } from './bench-row.ts'
import { type Children, openChildren } from './child.ts'
import { type Contestant, cpuRace, RACE_REQUESTS } from './cpu-race.ts'
import { type Environment, usernameOf as fewNames } from './installation.ts'
import { addManyViewers, MANY, usernameOf as manyNames } from './many-viewers.ts'
import { returning } from './session-list.ts'

const MANY_SESSIONS = 226_000
const TARGET = { atMost: 1.05 }

/** Measures how much the number of viewers and of sessions costs a returning viewer. */
export const growth: BenchPart = {
  name: 'growth',
  expectedSeconds: 45,
  async *rows(run) {
    const { environment, folder, passwordHash } = run.installation
    run.progress('Adding 1,000,000 viewers')
    const viewersFile = join(folder, 'growth.db')
    addManyViewers(viewersFile, passwordHash)
    const many = { ...environment, USER_STORE_URL: `sqlite:${viewersFile}` }
    await using children = openChildren()
    const rounds = await cpuRace(run, 'Returning viewer by number', {
      few: await contestantOf(run, children, environment, RACE_REQUESTS),
      viewers: await contestantOf(run, children, many, RACE_REQUESTS),
      sessions: await contestantOf(run, children, many, MANY_SESSIONS),
    })
    const row = (name: string, of: 'viewers' | 'sessions', base: 'few' | 'viewers'): BenchRow => ({
      name: `GET / of a returning viewer, ${name}`,
      unit: 'µs CPU per request',
      ...compared(
        rounds,
        (round) => round[of],
        (round) => round[base],
      ),
      target: TARGET,
    })
    yield row('1,000,000 against 2,000 viewers', 'viewers', 'few')
    const number = (count: number) => count.toLocaleString('en')
    yield row(`${number(MANY_SESSIONS)} against ${number(RACE_REQUESTS)} sessions`, 'sessions', 'viewers')
  },
}

/** Starts a login app with as many sessions, of viewers far apart in the store. */
async function contestantOf(
  { installation, progress }: BenchRun,
  { start }: Children,
  environment: Environment,
  sessions: number,
): Promise<Contestant> {
  progress(`Adding ${sessions.toLocaleString('en')} sessions`)
  const { folder, addSessions, environment: usual } = installation
  const isMany = environment.USER_STORE_URL !== usual.USER_STORE_URL
  const nameOf = (index: number) => (isMany ? manyNames((index * 7919) % MANY) : fewNames(index))
  const file = join(folder, `growth-${isMany}-${sessions}.db`)
  const env: Environment = { ...environment, SESSION_STORE_URL: `sqlite:${file}` }
  const added = await addSessions(sessions, env, nameOf)
  const every = Math.floor(added.length / RACE_REQUESTS)
  const used = added.filter((_, index) => index % every === 0)
  const child = await start(installation.loginApp(env))
  return { child, request: returning('__Host-viewer', used, env.SESSION_SECRET ?? ''), status: 303 }
}
