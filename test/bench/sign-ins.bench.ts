import { availableParallelism } from 'node:os'
import { type BenchPart, type BenchRun, inRounds } from './bench-part.ts'
import { type BenchRow, compared, measured, median, quantile } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { closedLoad, type MakeRequest, openLoad, type TimedAnswer } from './load.ts'
import { getRequest, signInRequest } from './requests.ts'
import { allDone, expectOnly, UnexpectedAnswers } from './unexpected-answers.ts'

const ROUNDS = 5
const WARM_UP_MS = 2000
const ROUND_MS = 2000
const OVERLOAD_MS = 3500
const OVERLOAD_FACTOR = 10
const SAMPLE_MEMORY_EVERY_MS = 200
const MEBIBYTE = 2 ** 20
/** A little traffic of other viewers, whose pages must not wait for the hashing. */
const PAGES_PER_SECOND = 200
/** Enough to keep every core busy, and few enough that no sign-in is refused. */
const CONNECTIONS = 4 * availableParallelism()

interface Round {
  readonly limit: Throughput
  readonly signIns: Throughput
  readonly overload: Overload
  /** The figure of a server that only verifies or refuses, under the same load. */
  readonly bareOverload: Overload
  readonly page: {
    readonly idleMs: number
    readonly hashingMs: number
    /** While another process keeps all cores busy. */
    readonly besideMs: number
  }
}

interface Throughput {
  readonly perSecond: number
  readonly cpuMillis: number
}

interface Overload {
  readonly answeredPerSecond: number
  readonly answeredLatenciesMs: readonly number[]
  /** CPU time of the whole process per refused sign-in. */
  readonly cpuMicrosPerRefusal: number
  readonly refusedLatenciesMs: readonly number[]
  readonly grownBytes: number
}

/**
 * Measures sign-ins, compared with a server that only verifies, under the same load in the same round. Then measures
 * ten times that load, and pages while all cores hash.
 */
export const signIns: BenchPart = {
  name: 'sign-ins',
  expectedSeconds: 95,
  async *rows(run) {
    const { folder, password, passwordHash, usernameOf } = run.installation
    const request: MakeRequest = (index) => signInRequest(index, usernameOf(index), password)
    await using children = openChildren()
    const bareServer = (...args: string[]) =>
      children.start({ script: 'serve-bare-argon2.ts', args: [passwordHash, password, ...args], folder })
    const servers = {
      login: await children.start(run.installation.loginApp()),
      bare: await bareServer(),
      refusing: await bareServer('refusing'),
    }
    await inRounds(1, run, 'Sign-ins, warm-up', async () => {
      for (const child of Object.values(servers)) await throughputOf(child, request, WARM_UP_MS)
    })
    const rounds = await measureRounds(run, servers, request)
    yield* rowsOf(rounds)
  },
}

type Servers = Readonly<Record<'login' | 'bare' | 'refusing', Child>>

function measureRounds(run: BenchRun, { login, bare, refusing }: Servers, request: MakeRequest): Promise<Round[]> {
  return inRounds(ROUNDS, run, 'Sign-ins', async () => {
    const limit = await throughputOf(bare, request, ROUND_MS)
    const signIns = await throughputOf(login, request, ROUND_MS)
    const load = { request, perSecond: OVERLOAD_FACTOR * limit.perSecond }
    return {
      limit,
      signIns,
      overload: await overload(login, load, signIns.cpuMillis),
      bareOverload: await overload(refusing, load, limit.cpuMillis),
      page: {
        idleMs: await slowPageMs(login),
        hashingMs: await whileHashing(login, request, () => slowPageMs(login)),
        besideMs: await whileHashing(bare, request, () => slowPageMs(login)),
      },
    }
  })
}

/** Returns the 99th percentile of the time until a page is answered. */
async function slowPageMs({ port }: Child): Promise<number> {
  const request: MakeRequest = (index) => getRequest(index, null)
  const answers = await openLoad({ port, perSecond: PAGES_PER_SECOND, durationMs: ROUND_MS, request })
  expectOnly([200], answers)
  return quantile(
    answers.map(({ latencyMs }) => latencyMs),
    0.99,
  )
}

async function whileHashing<T>(hashing: Child, request: MakeRequest, work: () => Promise<T>): Promise<T> {
  let isOver = false
  const load = closedLoad({ port: hashing.port, connections: CONNECTIONS, request, goesOn: () => !isOver })
  const worked = work().finally(() => {
    isOver = true
  })
  const [result] = await allDone<[T, unknown]>([worked, load])
  return result
}

/** @throws UnexpectedAnswers for any wrong answer. */
async function throughputOf(child: Child, request: MakeRequest, durationMs: number): Promise<Throughput> {
  const before = await child.usage()
  const untilMs = performance.now() + durationMs
  const load = { port: child.port, connections: CONNECTIONS, request, goesOn: () => performance.now() < untilMs }
  const { statuses, elapsedSeconds } = await closedLoad(load)
  const after = await child.usage()
  const signedIn = statuses.get(303) ?? 0
  expectOnly([303], statuses)
  return { perSecond: signedIn / elapsedSeconds, cpuMillis: (after.cpuMicros - before.cpuMicros) / signedIn / 1000 }
}

async function overload(
  login: Child,
  load: { readonly request: MakeRequest; readonly perSecond: number },
  cpuMillisPerSignIn: number,
): Promise<Overload> {
  const before = await login.usage()
  let mostBytes = before.rssBytes
  const sampler = setInterval(() => {
    const larger = ({ rssBytes }: { rssBytes: number }) => {
      mostBytes = Math.max(mostBytes, rssBytes)
    }
    login.usage().then(larger, () => {})
  }, SAMPLE_MEMORY_EVERY_MS)
  try {
    const answers = await openLoad({ port: login.port, durationMs: OVERLOAD_MS, ...load })
    const after = await login.usage()
    const { signedIn, ...rest } = judged(answers)
    const forRefusals = after.cpuMicros - before.cpuMicros - signedIn * cpuMillisPerSignIn * 1000
    const cpuMicrosPerRefusal = forRefusals / Math.max(1, rest.refusedLatenciesMs.length)
    return { ...rest, cpuMicrosPerRefusal, grownBytes: mostBytes - before.rssBytes }
  } finally {
    clearInterval(sampler)
  }
}

/** @throws UnexpectedAnswers for an answer that is neither a sign-in nor the refusal by overload, or without both. */
function judged(answers: readonly TimedAnswer[]) {
  expectOnly([303, 503], answers)
  const signedIn = answers.filter(({ status }) => status === 303)
  const inTime = signedIn.filter(({ atMs }) => atMs <= OVERLOAD_MS)
  const refused = answers.filter(({ status }) => status === 503)
  if (signedIn.length === 0 || refused.length === 0) throw new UnexpectedAnswers('Expected both 303 and 503')
  return {
    signedIn: signedIn.length,
    answeredPerSecond: inTime.length / (OVERLOAD_MS / 1000),
    answeredLatenciesMs: signedIn.map(({ latencyMs }) => latencyMs),
    refusedLatenciesMs: refused.map(({ latencyMs }) => latencyMs),
  }
}

function rowsOf(rounds: readonly Round[]): BenchRow[] {
  const refused = rounds.reduce((sum, { overload }) => sum + overload.refusedLatenciesMs.length, 0)
  const micros = median(rounds.map(({ overload }) => overload.cpuMicrosPerRefusal)).toFixed(0)
  return [
    {
      name: 'Sign-ins, against the argon2id limit of this machine',
      unit: 'per second',
      ...compared(
        rounds,
        ({ signIns }) => signIns.perSecond,
        ({ limit }) => limit.perSecond,
      ),
      target: { atLeast: 0.92 },
    },
    {
      name: 'CPU of a sign-in, against that of a verification',
      unit: 'ms',
      ...compared(
        rounds,
        ({ signIns }) => signIns.cpuMillis,
        ({ limit }) => limit.cpuMillis,
      ),
    },
    {
      name: 'Sign-ins at ten times the load, against a bare server',
      unit: 'per second',
      ...compared(
        rounds,
        ({ overload }) => overload.answeredPerSecond,
        (round) => round.bareOverload.answeredPerSecond,
      ),
      target: { atLeast: 0.8 },
      note: 'the bare server only verifies or refuses, under the same load in the same round',
    },
    {
      name: 'Sign-ins at ten times the load, against no overload',
      unit: 'per second',
      ...compared(
        rounds,
        ({ overload }) => overload.answeredPerSecond,
        ({ limit }) => limit.perSecond,
      ),
      note: 'the load generator runs on the same cores',
    },
    {
      name: 'Wait of the answered meanwhile, median',
      unit: 'ms',
      ...measured(rounds, ({ overload }) => median(overload.answeredLatenciesMs)),
      target: { atMost: 250 },
    },
    {
      name: 'Refusal (503) meanwhile, 95th percentile',
      unit: 'ms',
      ...measured(rounds, ({ overload }) => quantile(overload.refusedLatenciesMs, 0.95)),
      target: { atMost: 20 },
      note: `${refused.toLocaleString('en')} refused, each for ${micros} µs of CPU`,
    },
    {
      name: 'Growth of resident memory meanwhile',
      unit: 'MiB',
      value: Math.max(...rounds.map(({ overload }) => overload.grownBytes)) / MEBIBYTE,
      target: { atMost: 200 },
      note: 'the most of all rounds',
    },
    {
      name: 'Slowest 1 % of pages while the app hashes, against idle',
      unit: 'ms',
      ...compared(
        rounds,
        ({ page }) => page.hashingMs,
        ({ page }) => page.idleMs,
      ),
      target: { atMost: 3.5 },
    },
    {
      name: 'The same, against while another process hashes',
      unit: 'ms',
      ...compared(
        rounds,
        ({ page }) => page.hashingMs,
        ({ page }) => page.besideMs,
      ),
      note: 'the app adds what is above 1; the rest is the share of the cores',
    },
  ]
}
