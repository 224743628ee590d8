import { writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reloadSeconds } from '../../src/features/doors/waiting/reload-time.ts'
import type { AuthenticatedViewer } from '../../src/login/route-deps.ts'
import { createPasses } from '../../src/services/pass/passes.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { type BenchPart, type BenchRun, inRounds, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared, measured, quantile } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import type { Answer } from './connection.ts'
import { usernameOf } from './installation.ts'
import { simulateOpening } from './plan/simulated-opening.ts'
import { allDone, CLOSED, expectOnly } from './unexpected-answers.ts'

/** The viewers of the row about reloads, and the mean time between two reloads of each, an hour before the opening. */
const WAITING = 20_000
const RELOAD_SECONDS = reloadSeconds(3_600, WAITING, 0.5)
/** V8 compiles until then, and a reload takes a sixth more CPU. The viewers of the row send so many in 34 s. */
const WARM_UP_RELOADS = 15_000
const WARM_UP_PER_SECOND = 2_000
const ROUNDS = 10
const ROUND_SECONDS = 2
const HEADERS = { 'Accept-Language': 'en', 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'iframe' }
/** More requests at once wait their turn: a machine limits the open files of a process. */
const MOST_CONNECTIONS = 8_000
const RUNS = [
  { viewers: 20_000, withinSeconds: 10 },
  { viewers: 50_000, withinSeconds: 30 },
]

interface Load {
  readonly status: number
  readonly refresh: string
}

/** Viewers who wait for the doors: their reloads, and the seconds after the opening. No password is checked. */
export const waitingRoom: BenchPart = {
  name: 'waiting-room',
  expectedSeconds: 175,
  async *rows(run) {
    await using children = openChildren()
    let reloadMicros = Number.NaN
    for await (const row of unlessFailed('Reloads of the waiting page', () => reloadRows(run, children))) {
      if ('value' in row && row.name === RELOAD_CPU) reloadMicros = row.value
      yield row
    }
    for (const opening of RUNS) {
      const { viewers } = opening
      yield* unlessFailed(`Opening for ${viewers} viewers`, () => openingRows(run, children, opening, reloadMicros))
    }
  },
}

const RELOAD_CPU = 'CPU of a reload of the waiting page'

async function reloadRows(run: BenchRun, children: Children): Promise<BenchRow[]> {
  const name = 'Reloads of the waiting page'
  run.progress(name)
  const paths = passPaths(run, WAITING)
  const app = await startApp(run, children, 3_600)
  const perSecond = Math.round(WAITING / RELOAD_SECONDS)
  /** Returns the CPU time of a reload, in microseconds. */
  async function reloadMicros(server: Child): Promise<number> {
    const reloads = paths.slice(0, perSecond * ROUND_SECONDS)
    const before = await server.usage()
    await steadyLoad(server, reloads, perSecond)
    return ((await server.usage()).cpuMicros - before.cpuMicros) / reloads.length
  }
  const bare = await startBare(run, children, app, paths[0] ?? '')
  await inRounds(1, run, `${name}, warm-up`, async () => {
    for (const server of [app, bare]) await steadyLoad(server, paths.slice(0, WARM_UP_RELOADS), WARM_UP_PER_SECOND)
  })
  const rounds = await inRounds(ROUNDS, run, name, async () => ({
    app: await reloadMicros(app),
    bare: await reloadMicros(bare),
  }))
  const figures = compared(
    rounds,
    (round) => round.app,
    (round) => round.bare,
  )
  return [
    {
      name: `Reloads of ${WAITING} viewers who wait, every ${RELOAD_SECONDS} s`,
      unit: 'cores',
      ...measured(rounds, (round) => (round.app * perSecond) / 1e6),
      target: { atMost: 0.12 },
    },
    { name: RELOAD_CPU, unit: 'µs', ...figures, note: 'with a connection of its own; node:http with the same bytes' },
  ]
}

/** Starts a server that sends the same page to all. */
async function startBare({ installation }: BenchRun, { start }: Children, app: Child, path: string): Promise<Child> {
  const page = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers: HEADERS })
  const answer: Answer = { status: page.status, headers: [...page.headers], body: await page.text() }
  const file = join(installation.folder, 'waiting-page.json')
  writeFileSync(file, JSON.stringify(answer))
  return await start({ script: 'serve-bare-http.ts', args: [file], folder: installation.folder })
}

async function openingRows(
  run: BenchRun,
  children: Children,
  { viewers, withinSeconds }: (typeof RUNS)[number],
  reloadMicros: number,
): Promise<BenchRow[]> {
  run.progress(`Opening for ${viewers} viewers`)
  // The last pages before the opening come within this time.
  const lastPagesSeconds = reloadSeconds(3_600, viewers, 0.5)
  const opensInSeconds = lastPagesSeconds + 4
  const app = await startApp(run, children, opensInSeconds)
  const opensAtMs = performance.now() + 1000 * opensInSeconds
  const statuses = new Map<number, number>()
  const enteredMs: number[] = []
  async function wait(path: string): Promise<void> {
    let answer = await request(app, path)
    while (answer.refresh !== '') {
      const [, seconds = '', next = ''] = /^(\d+); url=(.+)$/.exec(answer.refresh) ?? []
      await sleep(Number(seconds) * 1000)
      answer = await request(app, next)
    }
    enteredMs.push(answer.status === 303 ? performance.now() - opensAtMs : Number.MAX_SAFE_INTEGER)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
  const before = await app.usage()
  await inTurn(passPaths(run, viewers), viewers / lastPagesSeconds, wait)
  const after = await app.usage()
  await app.stop()
  const cpuMicros = after.cpuMicros - before.cpuMicros
  // The kernel and V8 also work in other threads. Requests wait for the main thread only.
  const mainShare = (after.mainThreadMicros - before.mainThreadMicros) / cpuMicros
  // Each viewer also loaded a last page.
  const admissionMicros = (cpuMicros / viewers - reloadMicros) * mainShare
  const seconds = quantile(enteredMs, 0.99) / 1000
  const model = { viewers, admissionMicros, reloadMicros: reloadMicros * mainShare }
  const simulated = quantile(simulateOpening(model), 0.99)
  const rows: BenchRow[] = [
    {
      name: `Opening for ${viewers} viewers: 99 % are in the player`,
      unit: 's',
      value: seconds,
      target: { atMost: withinSeconds },
      note: `statuses ${JSON.stringify([...statuses])}`,
    },
    {
      name: `The simulated opening for ${viewers} viewers: its difference`,
      unit: '%',
      value: Math.abs(simulated / seconds - 1) * 100,
      target: { atMost: 10 },
      note: `${simulated.toFixed(1)} s`,
    },
  ]
  const largest = viewers === Math.max(...RUNS.map((one) => one.viewers))
  return largest
    ? [...rows, { name: 'CPU of an admission at the opening', unit: 'µs of the main thread', value: admissionMicros }]
    : rows
}

async function startApp({ installation }: BenchRun, { start }: Children, opensInSeconds: number): Promise<Child> {
  const opensAt = new Date(Date.now() + opensInSeconds * 1000).toISOString().replace(/\.\d+Z/, 'Z')
  return await start(installation.loginApp({ ...installation.environment, OPENS_AT: opensAt, WAITING_ROOM: 'on' }))
}

/** Seals the sign-ins of viewers, as the app does after a password. */
function passPaths({ installation: { environment } }: BenchRun, count: number): string[] {
  const nowSeconds = () => Date.now() / 1000
  const services = {
    publicUrl: new URL(environment.PUBLIC_URL ?? ''),
    sessionSettings: { secrets: [environment.SESSION_SECRET ?? ''], lifetimeSeconds: 28_800 },
    nowSeconds,
    openCounter: openMemoryCounter,
    // Only for passes of sessions.
    sessionStore: {} as never,
    hasEnded: async () => false,
  }
  const describe = ({ username }: { username: string }) => ({ username, signedInAtSeconds: Math.floor(nowSeconds()) })
  const passes = createPasses(services, 'waiting', 'default', { describe })
  return Array.from({ length: count }, (_, index) => {
    const viewer = { username: usernameOf(index), groups: [], attributes: {} }
    const visit = { viewer, context: { fields: {} }, outcome: 'signed-in' } as unknown as AuthenticatedViewer
    return `/wait?pass=${passes.issue(visit)}`
  })
}

async function steadyLoad(app: Child, paths: readonly string[], perSecond: number): Promise<void> {
  const answers: Load[] = []
  await inTurn(paths, perSecond, async (path) => {
    answers.push(await request(app, path))
  })
  expectOnly([200], answers)
}

/** Starts the work for each item at a fixed rate, and waits until all is done. */
async function inTurn<T>(items: readonly T[], perSecond: number, work: (item: T) => Promise<void>): Promise<void> {
  const startedMs = performance.now()
  const running: Promise<void>[] = []
  while (running.length < items.length) {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond) + 1
    for (const item of items.slice(running.length, due)) running.push(work(item))
    await sleep(5)
  }
  await allDone(running)
}

/** Each request has a connection of its own, as the app closes it. */
const ONE_CONNECTION: AgentOptions = { keepAlive: false, maxSockets: MOST_CONNECTIONS }
const agent = new Agent(ONE_CONNECTION)

/** Repeats a request once whose connection broke, as browsers do. The status is CLOSED if it broke again. */
function request({ port }: Pick<Child, 'port'>, path: string, isLast = false): Promise<Load> {
  return new Promise((resolve) => {
    get({ agent, host: '127.0.0.1', port, path, headers: HEADERS }, (answer) => {
      answer.resume()
      const { statusCode: status = 0, headers: given } = answer
      answer.on('end', () => resolve({ status, refresh: String(given.refresh ?? '') }))
    }).on('error', () => resolve(isLast ? { status: CLOSED, refresh: '' } : request({ port }, path, true)))
  })
}
