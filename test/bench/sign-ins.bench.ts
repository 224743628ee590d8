import { availableParallelism } from 'node:os'
import { type BenchRow, median, quantile } from './bench-row.ts'
import { type Child, startChild } from './child.ts'
import type { Installation } from './installation.ts'
import { closedLoad, type MakeRequest, openLoad, type TimedAnswer } from './load.ts'
import { signInRequest } from './requests.ts'

const ROUNDS = 7
const WARM_UP_MS = 2000
const ROUND_MS = 2500
const OVERLOAD_MS = 3500
const OVERLOAD_FACTOR = 10
const SAMPLE_MEMORY_EVERY_MS = 200
const MEBIBYTE = 2 ** 20
/** Enough to keep every core busy, and few enough that no sign-in is refused. */
const CONNECTIONS = 4 * availableParallelism()

interface Round {
  readonly limit: Throughput
  readonly signIns: Throughput
  readonly overload: Overload
  /** The figure of a server that only verifies or refuses, under the same load. */
  readonly bareOverload: Overload
}

interface Throughput {
  readonly perSecond: number
  readonly cpuMillis: number
}

interface Overload {
  readonly answeredPerSecond: number
  /** CPU time of the whole process per refused sign-in. */
  readonly cpuMicrosPerRefusal: number
  readonly refusedLatenciesMs: readonly number[]
  readonly grownBytes: number
}

/**
 * Measures sign-ins, compared with a server that only verifies, under the same load in the same round. Then measures
 * ten times that load.
 */
export async function signInRows(installation: Installation): Promise<BenchRow[]> {
  const { folder, environment, password, passwordHash, usernameOf } = installation
  const request: MakeRequest = (index) => signInRequest(index, usernameOf(index), password)
  const children: Child[] = []
  try {
    const login = await startChild({ script: '../../src/main.ts', env: environment, folder })
    children.push(login)
    const bare = await startChild({ script: 'serve-bare-argon2.ts', args: [passwordHash, password], folder })
    children.push(bare)
    const refusing = await startChild({
      script: 'serve-bare-argon2.ts',
      args: [passwordHash, password, 'refusing'],
      folder,
    })
    children.push(refusing)
    for (const child of [bare, login, refusing]) await throughputOf(child, request, WARM_UP_MS)
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const limit = await throughputOf(bare, request, ROUND_MS)
      const signIns = await throughputOf(login, request, ROUND_MS)
      const load = { request, perSecond: OVERLOAD_FACTOR * limit.perSecond }
      rounds.push({
        limit,
        signIns,
        overload: await overload(login, load, signIns.cpuMillis),
        bareOverload: await overload(refusing, load, limit.cpuMillis),
      })
    }
    return rowsOf(rounds)
  } finally {
    await Promise.all(children.map((child) => child.stop()))
  }
}

/** @throws Error for any wrong answer. */
async function throughputOf(child: Child, request: MakeRequest, durationMs: number): Promise<Throughput> {
  const before = await child.usage()
  const untilMs = performance.now() + durationMs
  const load = { port: child.port, connections: CONNECTIONS, request, goesOn: () => performance.now() < untilMs }
  const { statuses, elapsedSeconds } = await closedLoad(load)
  const after = await child.usage()
  const signedIn = statuses.get(303) ?? 0
  if (statuses.size !== 1 || signedIn === 0) throw new Error(`Expected only 303: ${JSON.stringify([...statuses])}`)
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
    void login.usage().then(({ rssBytes }) => {
      mostBytes = Math.max(mostBytes, rssBytes)
    })
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

/** @throws Error for an answer that is neither a sign-in nor the refusal by overload. */
function judged(answers: readonly TimedAnswer[]) {
  const strange = answers.filter(({ status }) => status !== 303 && status !== 503)
  if (strange.length > 0) throw new Error(`Expected only 303 and 503: ${JSON.stringify(strange.slice(0, 5))}`)
  const signedIn = answers.filter(({ status }) => status === 303)
  const inTime = signedIn.filter(({ atMs }) => atMs <= OVERLOAD_MS)
  const refused = answers.filter(({ status }) => status === 503)
  return {
    signedIn: signedIn.length,
    answeredPerSecond: inTime.length / (OVERLOAD_MS / 1000),
    refusedLatenciesMs: refused.map(({ latencyMs }) => latencyMs),
  }
}

function rowsOf(rounds: readonly Round[]): BenchRow[] {
  const over = (figure: (round: Round) => number) => median(rounds.map(figure))
  const limit = over((round) => round.limit.perSecond)
  const refused = rounds.reduce((sum, { overload }) => sum + overload.refusedLatenciesMs.length, 0)
  return [
    {
      name: 'Sign-ins',
      value: over(({ signIns }) => signIns.perSecond),
      unit: 'per second',
      baseline: limit,
      ratio: over(({ signIns, limit }) => signIns.perSecond / limit.perSecond),
      target: { atLeast: 0.9 },
      note: 'against the argon2id limit of this machine',
    },
    {
      name: 'CPU of a sign-in',
      value: over(({ signIns }) => signIns.cpuMillis),
      unit: 'ms',
      baseline: over((round) => round.limit.cpuMillis),
      ratio: over(({ signIns, limit }) => signIns.cpuMillis / limit.cpuMillis),
      note: 'against that of a verification alone',
    },
    {
      name: 'Sign-ins while ten times as many are tried',
      value: over(({ overload }) => overload.answeredPerSecond),
      unit: 'per second',
      baseline: limit,
      ratio: over(({ overload, limit }) => overload.answeredPerSecond / limit.perSecond),
      target: { atLeast: 0.85 },
      note: 'against the argon2id limit of this machine, without the load',
    },
    {
      name: 'The same of a server that only verifies or refuses',
      value: over(({ bareOverload }) => bareOverload.answeredPerSecond),
      unit: 'per second',
      baseline: limit,
      ratio: over(({ bareOverload, limit: alone }) => bareOverload.answeredPerSecond / alone.perSecond),
      note: 'what the load generator, on the same cores, leaves to anybody',
    },
    {
      name: 'Refusal (503) meanwhile, 95th percentile',
      value: over(({ overload }) => quantile(overload.refusedLatenciesMs, 0.95)),
      unit: 'ms',
      target: { atMost: 100 },
      note: `${refused} refused, each for ${over(({ overload }) => overload.cpuMicrosPerRefusal).toFixed(0)} µs of CPU`,
    },
    {
      name: 'Growth of resident memory meanwhile',
      value: Math.max(...rounds.map(({ overload }) => overload.grownBytes)) / MEBIBYTE,
      unit: 'MiB',
      target: { atMost: 200 },
      note: 'the most of all rounds',
    },
  ]
}
