import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPart, BenchRun } from './bench-part.ts'
import { inRounds } from './bench-part.ts'
import { type BenchRow, compared, measured } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { openConnection } from './connection.ts'
import { type Contestant, cpuRace } from './cpu-race.ts'
import { type Environment, type Installation, PLAYER_ORIGIN, RETURN_URL } from './installation.ts'
import { getRequest } from './requests.ts'

const MANY = 1_000
const WARM_UP_REQUESTS = 8_000
const START_ROUNDS = 5
const KIBIBYTE = 1_024
const DAY_MS = 86_400_000
/** Settings of the environment that the file replaces. */
const REPLACED = ['HASH_SECRET', 'PLAYER_RETURN_URL', 'PLAYER_ORIGINS']

/** Measures what an entry point with six features costs all others: a request, the start, and memory. */
export const entryPoints: BenchPart = {
  name: 'entry-points',
  expectedSeconds: 60,
  async *rows(run) {
    await using children = openChildren()
    const one = environmentWith(run.installation, 1)
    const many = environmentWith(run.installation, MANY)
    const apps = {
      one: await children.start(run.installation.loginApp(one)),
      many: await children.start(run.installation.loginApp(many)),
    }
    const last = `/e/event-${MANY}`
    yield await requestRow(run, `GET ${last} of ${MANY}, against one`, [apps.one, '/e/event-1'], [apps.many, last])
    const live = '/health/live'
    yield await requestRow(
      run,
      `GET ${live} with ${MANY} entry points, against one`,
      [apps.one, live],
      [apps.many, live],
    )
    yield* await startRows(run, one, many)
  },
}

async function requestRow(run: BenchRun, name: string, one: Of, many: Of): Promise<BenchRow> {
  const contestants = { one: contestantOf(one), many: contestantOf(many) }
  const rounds = await cpuRace(run, name, contestants, WARM_UP_REQUESTS)
  const unit = 'µs CPU per request'
  const figures = compared(
    rounds,
    (round) => round.many,
    (round) => round.one,
  )
  return { name, unit, ...figures, target: { atMost: 1.05 } }
}

type Of = readonly [Child, path: string]

function contestantOf([child, path]: Of): Contestant {
  return { child, request: (index) => getRequest(index, null, path), status: 200 }
}

async function startRows(run: BenchRun, one: Environment, many: Environment): Promise<BenchRow[]> {
  const rounds = await inRounds(START_ROUNDS, run, `Start with ${MANY} entry points`, async () => ({
    one: await startOf(run, one),
    many: await startOf(run, many),
  }))
  const started: BenchRow = {
    name: `Start with ${MANY} entry points, against one`,
    unit: 'ms',
    ...compared(
      rounds,
      (round) => round.many.millis,
      (round) => round.one.millis,
    ),
    target: { atMost: 3 },
  }
  const kibibytes = rounds.map(({ many: { rssBytes }, one }) => (rssBytes - one.rssBytes) / KIBIBYTE / (MANY - 1))
  const memory: BenchRow = {
    name: 'Memory of an entry point with six features',
    unit: 'KiB',
    ...measured(kibibytes, (figure) => figure),
    target: { atMost: 100 },
  }
  return [started, memory]
}

/** Starts an app until its first answer. */
async function startOf({ installation }: BenchRun, environment: Environment) {
  await using children = openChildren()
  const startedMs = performance.now()
  const child = await children.start(installation.loginApp(environment))
  const connection = await openConnection(child.port)
  await connection.exchange(getRequest(0, null, '/e/event-1'))
  const millis = performance.now() - startedMs
  connection.close()
  return { millis, rssBytes: (await child.usage()).rssBytes }
}

/** Settings with so many entry points, each with six features. */
function environmentWith({ folder, environment }: Installation, count: number): Environment {
  const file = join(folder, `entry-points-${count}.json`)
  const opensAt = `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 16)}Z`
  const entries = Array.from({ length: count }, (_, index) => ({
    name: `event-${index + 1}`,
    secret: `${environment.HASH_SECRET}${index}`,
    playerReturnUrl: RETURN_URL,
    playerOrigins: [PLAYER_ORIGIN],
    hashLifetimeSeconds: 600,
    mailSignIn: 'domains',
    mailGuests: ['*@example.com'],
    accessCodes: 'on',
    accessCodeKey: `${environment.SESSION_SECRET}${index}`,
    passkeys: 'on',
    opensAt,
    waitingRoom: 'on',
    screensPerViewer: 2,
  }))
  writeFileSync(file, JSON.stringify(entries))
  const kept = Object.entries(environment).filter(([name]) => !REPLACED.includes(name))
  return {
    ...Object.fromEntries(kept),
    ENTRY_POINTS_FILE: file,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'login@example.com',
    GUESTS_STORE_URL: `sqlite:${join(folder, `guests-${count}.db`)}`,
  }
}
