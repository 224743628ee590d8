import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection, type RawAnswer, sendOnce } from './connection.ts'
import { bytesOf, type FuzzRequest } from './fuzz-request.ts'
import {
  goldName,
  HIDDEN,
  type Installation,
  PLACES,
  passwordOf,
  plainName,
  startInstallation,
} from './installation.ts'
import { createJourneys } from './journeys.ts'
import { type Credentials, createJudge, describe } from './judge.ts'
import { wildRequest } from './mutations.ts'
import { createRandom, type Random } from './random.ts'
import type { Report, SlowTurn } from './watch-program.ts'

const FORM = 'Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'

/** Requests that no HTTP client sends. */
const MALFORMED: readonly string[] = [
  'garbage\r\n\r\n',
  '\r\n\r\n\r\n',
  '\0\0\0\0',
  'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET  /  HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\nHost: a\n\n',
  'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n',
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 5\r\nContent-Length: 6\r\n\r\na=b&c`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: -1\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 99999999999999999999\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\nb\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  `POST /sign-in HTTP/1.1\r\n${FORM}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET *?token=x HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://a:b@c:99999/?x#y HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET javascript:alert(1) HTTP/1.1\r\nHost: a\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]

/** Returns bytes that are hardly a request, or a request with random bytes changed. */
function malformedBytes(random: Random, paths: readonly string[]): Buffer {
  if (random.chance(0.5)) return Buffer.from(random.pick(MALFORMED), 'latin1')
  const bytes = Buffer.from(bytesOf(wildRequest(random, paths)))
  for (let count = 0; count <= random.below(4); count += 1) bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

/** Returns the beginning of a request. */
function cutBytes(random: Random, request: FuzzRequest): Buffer {
  const bytes = bytesOf(request)
  return bytes.subarray(0, 1 + random.below(bytes.length))
}

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 200_000)
/** The same seed gives the same choices. The secrets that the app creates differ. */
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 32)
const AT_ONCE = 24
const LONGEST_BLOCK_MS = 200
/** Counts of addresses and sign-ins under way grow until their time is over. */
const MOST_GROWTH_MEGABYTES = 80
const PAUSE_MS = 2_000
const WAIT_MS = 60
/** What the journeys must reach, in alphabetical order. */
const WAYS = [
  'created a passkey',
  'ended sessions of the provider',
  'finished with a passkey',
  'reset a password',
  'returned with a session',
  'signed in at the provider',
  'signed in with a code',
  'signed in with a passkey',
  'signed in with a password',
  'signed out',
]

/** Starts a program that only measures its event loop, to tell a block of the app from a machine that stalls. */
function startBareProgram() {
  const watch = fileURLToPath(new URL('./watch-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', watch, '-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.send('measure')
  return async (): Promise<Report> => {
    const answer = once(child, 'message')
    child.send('report')
    const [report] = (await answer) as [Report]
    return report
  }
}

/** Returns blocks in which the app computed, and waits during which a program that does nothing did not wait too. */
function ownBlocks(app: Report, bare: Report): SlowTurn[] {
  const overlaps = (one: SlowTurn, other: SlowTurn) =>
    one.beginsAtMs < other.endsAtMs && other.beginsAtMs < one.endsAtMs
  const own = app.slowTurns.filter(
    (turn) => turn.processorMs >= LONGEST_BLOCK_MS || !bare.slowTurns.some((other) => overlaps(turn, other)),
  )
  return own.toSorted((one, other) => other.blockMs - one.blockMs)
}

function startFuzzing(installation: Installation, paths: readonly string[]) {
  const usernames = Array.from({ length: AT_ONCE }, (_, index) => [goldName(index), plainName(index)]).flat()
  const credentials: Credentials = {
    passwords: new Map(usernames.map((username) => [username, new Set([passwordOf(username)])])),
    sessions: new Map(),
    waits: new Map(),
    codes: new Map(),
  }
  const judge = createJudge({ places: PLACES, credentials, secrets: HIDDEN })
  const statuses: Record<string, number> = {}
  const reached: Record<string, number> = {}
  const faults: string[] = []
  let sent = 0
  let goal = 0
  const countStatus = (status: number | string) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  const { port } = installation

  function startWorker(index: number, random: Random) {
    const connection = openConnection(port)
    onTestFinished(() => connection.close())
    async function send(request: FuzzRequest, mayClose = false): Promise<RawAnswer | null> {
      if (sent >= goal || installation.isOver()) return null
      sent += 1
      const bytes = bytesOf(request)
      const answer = await connection.send(bytes, request.method === 'HEAD')
      countStatus(answer === 'closed' ? answer : answer.status)
      if (answer === 'closed') {
        // The app does not read all of a request that is too large.
        if (!mayClose && bytes.length < 8_000) faults.push(`no answer: ${describe(request)}`)
        return null
      }
      const found = await judge.faultsIn(request, answer)
      if (found.length > 0) faults.push(`${found.join(', ')}: ${answer.status} for ${describe(request)}`)
      return answer
    }
    const journeys = createJourneys({ index, random, paths, credentials, installation, send, reached })
    async function sendRaw(): Promise<void> {
      sent += 1
      const bytes = random.chance(0.5) ? malformedBytes(random, paths) : cutBytes(random, wildRequest(random, paths))
      const text = await sendOnce(port, bytes, random.pick([0, WAIT_MS]))
      countStatus('raw')
      for (const fault of await judge.faultsInBytes(text))
        faults.push(`${fault}: ${JSON.stringify(bytes.toString('latin1').slice(0, 500))}`)
    }
    async function work(): Promise<void> {
      while (sent < goal && !installation.isOver()) {
        await journeys.any()
        for (let count = 0; count < 30; count += 1) await send(wildRequest(random, paths))
        // The app disconnects clients that send more at once.
        await Promise.all([1, 2].map(() => send(wildRequest(random, paths), true)))
        await sendRaw()
      }
    }
    return work
  }
  const workers = Array.from({ length: AT_ONCE }, (_, index) => startWorker(index, createRandom(SEED + index)))
  return {
    statuses,
    reached,
    faults,
    answers: judge.answers,
    async until(requests: number): Promise<void> {
      goal = requests
      await Promise.all(workers.map((work) => work()))
      await sleep(PAUSE_MS)
    },
  }
}

/** Returns all paths of the routes, below each entry point. */
function pathsOf(routes: readonly string[]): string[] {
  const basePaths = PLACES.flatMap((place) => place.basePaths)
  const below = basePaths.flatMap((base) =>
    routes.map((route) => `${base}${route === '/' && base !== '' ? '' : route}`),
  )
  return [
    ...new Set([
      ...below,
      '/assets/screen.css',
      '/assets/login.js',
      '/metrics',
      '/e',
      '/e/none',
      '/nowhere',
      '/.env',
      '*',
    ]),
  ]
}

test(`${REQUESTS} wrong requests cause no fault, no answer without credentials and no block of the event loop`, async () => {
  console.info(`FUZZ_SEED=${SEED}`)
  const installation = await startInstallation(AT_ONCE)
  expect(installation.settings).toHaveProperty('ENTRY_POINTS_FILE')
  const reportOfBare = startBareProgram()
  const { routes } = await installation.report()
  installation.measure()
  const paths = pathsOf(routes)
  const startedAt = performance.now()
  const fuzzing = startFuzzing(installation, paths)
  await fuzzing.until(REQUESTS / 2)
  const middle = await installation.report()
  await fuzzing.until(REQUESTS)
  const end = await installation.report()
  const bare = await reportOfBare()
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const { statuses, reached, answers, faults } = fuzzing
  const blocks = ownBlocks(end, bare)
  const growth = end.residentMegabytes - middle.residentMegabytes
  const turns = {
    longest: end.longestTurnMs,
    longestOfBareProgram: bare.longestTurnMs,
    longestBlocks: blocks.slice(0, 3).map(({ blockMs, processorMs }) => ({ blockMs, processorMs })),
  }
  const memory = [middle, end].map(({ residentMegabytes, heapMegabytes }) => ({ residentMegabytes, heapMegabytes }))
  console.info({
    seconds,
    routes,
    statuses,
    reached,
    answers: answers.length,
    turns,
    memory,
    lines: installation.lines,
  })
  expect(faults.slice(0, 20)).toEqual([])
  expect(installation.faults.slice(0, 20)).toEqual([])
  expect(blocks.filter(({ blockMs }) => blockMs >= LONGEST_BLOCK_MS)).toEqual([])
  expect(growth).toBeLessThan(MOST_GROWTH_MEGABYTES)
  // Else the requests would not get deep into the app.
  expect(Object.keys(reached).toSorted()).toEqual(WAYS)
  expect(await installation.stop()).toBe(0)
}, 1_200_000)
