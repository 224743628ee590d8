import { Agent, type AgentOptions, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPasses } from '../../src/features/pass/passes.ts'
import type { AuthenticatedViewer } from '../../src/login/route-deps.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import type { BenchPart, BenchRun } from './bench-part.ts'
import { type BenchRow, quantile } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import { usernameOf } from './installation.ts'

/** The viewers of the row about reloads, and the time between two reloads of each. */
const WAITING = 20_000
const RELOAD_SECONDS = 25
const STEADY_SECONDS = 10
/** The last pages before the opening come within this time. */
const LAST_PAGES_SECONDS = 25
const RUNS = [
  { viewers: 20_000, withinSeconds: 10 },
  { viewers: 50_000, withinSeconds: 30 },
]

interface Answer {
  readonly status: number
  readonly refresh: string
}

/** Viewers who wait for the doors: their reloads, and the seconds after the opening. No password is checked. */
export const waitingRoom: BenchPart = {
  name: 'waiting-room',
  expectedSeconds: 130,
  async *rows(run) {
    await using children = openChildren()
    yield await reloadRow(run, children)
    for (const { viewers, withinSeconds } of RUNS) yield await openingRow(run, children, viewers, withinSeconds)
  },
}

async function reloadRow(run: BenchRun, children: Children): Promise<BenchRow> {
  run.progress('Reload of the waiting page')
  const app = await startApp(run, children, 3_600)
  const paths = passPaths(run, WAITING)
  const perSecond = WAITING / RELOAD_SECONDS
  const load = (seconds: number) => steadyLoad(app, paths, perSecond, seconds)
  await load(5)
  const before = await app.usage()
  const startedMs = performance.now()
  await load(STEADY_SECONDS)
  const { cpuMicros } = await app.usage()
  const seconds = (performance.now() - startedMs) / 1000
  const micros = (cpuMicros - before.cpuMicros) / (perSecond * STEADY_SECONDS)
  return {
    name: `Reloads of ${WAITING} viewers who wait`,
    unit: 'cores',
    value: (cpuMicros - before.cpuMicros) / 1e6 / seconds,
    target: { atMost: 0.12 },
    note: `${Math.round(micros)} µs CPU per reload, with a connection of its own`,
  }
}

async function openingRow(
  run: BenchRun,
  children: Children,
  viewers: number,
  withinSeconds: number,
): Promise<BenchRow> {
  run.progress(`Opening for ${viewers} viewers`)
  const opensInSeconds = LAST_PAGES_SECONDS + 4
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
  await inTurn(passPaths(run, viewers), viewers / LAST_PAGES_SECONDS, wait)
  const { cpuMicros } = await app.usage()
  await app.stop()
  const micros = (cpuMicros - before.cpuMicros) / viewers
  return {
    name: `Opening for ${viewers} viewers: 99 % are in the player`,
    unit: 's',
    value: quantile(enteredMs, 0.99) / 1000,
    target: { atMost: withinSeconds },
    note: `${Math.round(micros)} µs CPU for the last page and the admission; statuses ${JSON.stringify([...statuses])}`,
  }
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
    opened: [],
  }
  const describe = ({ username }: { username: string }) => ({ username, signedInAtSeconds: Math.floor(nowSeconds()) })
  const passes = createPasses(services, 'waiting', 'default', { describe })
  return Array.from({ length: count }, (_, index) => {
    const viewer = { username: usernameOf(index), groups: [], attributes: {} }
    const visit = { viewer, context: { fields: {} }, outcome: 'signed-in' } as unknown as AuthenticatedViewer
    return `/wait?pass=${passes.issue(visit)}`
  })
}

async function steadyLoad(app: Child, paths: readonly string[], perSecond: number, seconds: number): Promise<void> {
  await inTurn(paths.slice(0, perSecond * seconds), perSecond, async (path) => {
    const { status } = await request(app, path)
    if (status !== 200) throw new Error(`Expected 200: ${status}`)
  })
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
  await Promise.all(running)
}

/** Each request has a connection of its own, as the app closes it. */
const ONE_CONNECTION: AgentOptions = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }
const agent = new Agent(ONE_CONNECTION)

/** Repeats a request once whose connection broke, as browsers do. */
function request({ port }: Pick<Child, 'port'>, path: string, isLast = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Accept-Language': 'en', 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'iframe' }
    get({ agent, host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume()
      const { statusCode: status = 0, headers: given } = answer
      answer.on('end', () => resolve({ status, refresh: String(given.refresh ?? '') }))
    }).on('error', (error) => (isLast ? reject(error) : resolve(request({ port }, path, true))))
  })
}
