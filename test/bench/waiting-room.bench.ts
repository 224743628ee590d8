import { writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reloadSeconds } from '../../src/features/doors/waiting/reload-time.ts'
import { type BenchPart, type BenchRun, inRounds, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared, measured, quantile } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import type { Answer } from './connection.ts'
import { passPaths } from './pass-paths.ts'
import { simulateOpening } from './plan/simulated-opening.ts'
import type { Usage } from './report-usage.ts'
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
/** The time for the start of the app, and for the last of the last pages. */
const START_SECONDS = 12
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
    yield* unlessFailed('Reloads of the waiting page', () => reloadRows(run, children))
    for (const opening of RUNS) {
      const { viewers } = opening
      yield* unlessFailed(`Opening for ${viewers} viewers`, () => openingRows(run, children, opening))
    }
  },
}

async function reloadRows(run: BenchRun, children: Children): Promise<BenchRow[]> {
  const name = 'Reloads of the waiting page'
  run.progress(name)
  const paths = passPaths(run.installation, WAITING)
  const app = await startApp(run, children, Math.ceil(Date.now() / 1000) + 3_600)
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
    {
      name: 'CPU of a reload of the waiting page',
      unit: 'µs',
      ...figures,
      note: 'with a connection of its own; node:http with the same bytes',
    },
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
): Promise<BenchRow[]> {
  run.progress(`Opening for ${viewers} viewers`)
  // The last pages before the opening come within this time.
  const lastPagesSeconds = reloadSeconds(3_600, viewers, 0.5)
  const opensAt = Math.ceil(Date.now() / 1000) + START_SECONDS + lastPagesSeconds
  const app = await startApp(run, children, opensAt)
  const msToOpening = () => opensAt * 1000 - Date.now()
  const statuses = new Map<number, number>()
  const enteredSeconds: number[] = []
  let pages = 0
  async function wait(path: string): Promise<void> {
    let answer = await request(app, path)
    while (answer.refresh !== '') {
      pages += 1
      const [, seconds = '', next = ''] = /^(\d+); url=(.+)$/.exec(answer.refresh) ?? []
      await sleep(Number(seconds) * 1000)
      answer = await request(app, next)
    }
    enteredSeconds.push(answer.status === 303 ? msToOpening() / -1000 : Number.MAX_SAFE_INTEGER)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
  const meter = run.startMeter()
  const before = await app.usage()
  const [atOpening] = await Promise.all([
    sleep(msToOpening()).then(() => app.usage()),
    inTurn(passPaths(run.installation, viewers), viewers / lastPagesSeconds, wait),
  ])
  const after = await app.usage()
  const others = meter()
  await app.stop()
  const page = usedMicros(before, atOpening, pages)
  const admission = usedMicros(atOpening, after, viewers)
  const seconds = quantile(enteredSeconds, 0.99)
  const model = { viewers, admissionMicros: admission.withWaits, reloadMicros: page.withWaits }
  const simulated = quantile(simulateOpening(model), 0.99)
  const rows: BenchRow[] = [
    {
      name: `Opening for ${viewers} viewers: 99 % are in the player`,
      unit: 's',
      value: seconds,
      target: { atMost: withinSeconds },
      note: `statuses ${JSON.stringify([...statuses])}; other programs used ${Math.round(others * 100)} %`,
    },
    {
      name: `The simulated opening for ${viewers} viewers: its difference`,
      unit: '%',
      value: Math.abs(simulated / seconds - 1) * 100,
      target: { atMost: 10 },
      note: `${simulated.toFixed(1)} s; an admission took ${Math.round(admission.cpu)} µs of the main thread, and ${Math.round(admission.withWaits)} µs with its waits for a core`,
    },
  ]
  const largest = viewers === Math.max(...RUNS.map((one) => one.viewers))
  return largest
    ? [...rows, { name: 'CPU of an admission at the opening', unit: 'µs of the main thread', value: admission.cpu }]
    : rows
}

/** Returns what the main thread used for each answer, which is all that requests wait for. */
function usedMicros(before: Usage, after: Usage, answers: number) {
  const cpu = (after.mainThreadMicros - before.mainThreadMicros) / answers
  return { cpu, withWaits: cpu + (after.mainThreadWaitedMicros - before.mainThreadWaitedMicros) / answers }
}

/** @param opensAt UNIX time in whole seconds. */
async function startApp({ installation }: BenchRun, { start }: Children, opensAt: number): Promise<Child> {
  const OPENS_AT = new Date(opensAt * 1000).toISOString().replace('.000Z', 'Z')
  return await start(installation.loginApp({ ...installation.environment, OPENS_AT, WAITING_ROOM: 'on' }))
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
