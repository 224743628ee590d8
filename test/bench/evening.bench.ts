import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchPart, type BenchRun, inRounds } from './bench-part.ts'
import { type BenchRow, compared, measured } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { type Answer, type Connection, openConnection } from './connection.ts'
import { type Environment, type Installation, PLAYER_ORIGIN, RETURN_URL } from './installation.ts'
import type { Usage } from './report-usage.ts'
import { getRequest, signInRequest } from './requests.ts'
import { writeSessionList } from './session-list.ts'
import { allDone, UnexpectedAnswers } from './unexpected-answers.ts'

const ROUNDS = 5
const VIEWERS_PER_ROUND = 240
/** One viewer in twenty mistypes the password first. */
const MISTAKE_EVERY = 20
const CONNECTIONS = 16
const CONSUMER = 'https://chat.example/answers/'
/** A viewer who returns to one video several times within seconds would count as a loop. */
const pathOf = (video: number) => `/?ustreamContentType=recorded&ustreamContentId=${video}`
const PAGE = pathOf(1)
const RETURNS = [pathOf(2), pathOf(3), pathOf(4), `/?hashConsumer=${encodeURIComponent(CONSUMER)}`]

type ServerName = 'login' | 'plain' | 'bare'

interface Contestant {
  readonly child: Child
  /** The paths that the screen of this server loads. */
  readonly assets: readonly string[]
}

/** The recorded answers of the login app, for the server that only sends them again. */
export interface RecordedEvening {
  readonly gets: readonly { readonly path: string; readonly answer: Answer }[]
  /** For a wrong password. */
  readonly wrong: Answer
  readonly right: Answer
}

/** CPU time of a server per viewer, in microseconds. */
interface Evening {
  /** All threads, from the screen to the last return. */
  readonly all: number
  /** All threads while browsers load the assets. */
  readonly assets: number
  /** The main thread, which runs the JavaScript. Passwords are verified in other threads. */
  readonly mainThread: number
  /** The main thread while viewers sign in. */
  readonly signInMainThread: number
  /** The other threads while viewers sign in. */
  readonly hashing: number
}

/**
 * Measures the CPU time of an evening: the screen and its assets, a sign-in, three returns and a chat. The limit is
 * a server that sends the same bytes and verifies the same passwords.
 */
export const evening: BenchPart = {
  name: 'evening',
  expectedSeconds: 75,
  async *rows(run) {
    await using children = openChildren()
    const contestants = await startContestants(run, children.start)
    const rounds = await raceEvenings(run, contestants)
    const row = (name: string, base: 'plain' | 'bare', figure: keyof Evening) => ({
      name,
      unit: 'µs CPU per viewer',
      ...compared(
        rounds,
        (round) => round.login[figure],
        (round) => round[base][figure],
      ),
    })
    yield {
      ...row('An evening, against the argon2id limit', 'bare', 'all'),
      target: { atMost: 1.17 },
      note: 'the limit: the same bytes by node:http, the same passwords by argon2id',
    } satisfies BenchRow
    yield {
      ...row('An evening, against plain Express with the same duties', 'plain', 'all'),
      target: { atMost: 0.92 },
      note: 'plain Express serves its six assets with express.static',
    }
    yield row('Assets of the screen, against plain Express', 'plain', 'assets')
    yield row('Assets of the screen, against node:http', 'bare', 'assets')
    yield {
      ...row('JavaScript of a sign-in, against plain Express', 'plain', 'signInMainThread'),
      note: 'the main thread only; one viewer in twenty mistypes the password first',
    }
    yield {
      name: 'Cores that the hashing of one process can fill',
      unit: 'cores',
      ...measured(rounds, ({ login, bare }) => bare.hashing / login.mainThread),
      note: 'then its JavaScript is full: with more cores, start a second process',
    }
  },
}

async function startContestants(
  run: BenchRun,
  start: (options: ReturnType<Installation['loginApp']>) => Promise<Child>,
): Promise<Record<ServerName, Contestant>> {
  const { folder, environment, loginApp, usernameOf, password, passwordHash } = run.installation
  const ownSessions: Environment = { SESSION_STORE_URL: `sqlite:${join(folder, 'evening.db')}` }
  const login = await start(loginApp({ ...environment, ...ownSessions, HASH_CONSUMERS: CONSUMER }))
  const record = () => recordEvening(login, usernameOf(0), password)
  const [recording] = await inRounds(1, run, 'An evening, recording', record)
  const { assets, recorded } = recording as Awaited<ReturnType<typeof record>>
  const sessionList = join(folder, 'no-sessions.json')
  writeSessionList(sessionList, [])
  const { HASH_SECRET: hashSecret, SESSION_SECRET: sessionSecret } = environment
  const settings = JSON.stringify({ playerOrigin: PLAYER_ORIGIN, returnUrl: RETURN_URL, hashSecret, sessionSecret })
  const args = [settings, sessionList, join(folder, 'plain-evening.db'), passwordHash]
  const plain = await start({ script: 'serve-plain-express.ts', args, folder })
  const answers = join(folder, 'evening.json')
  writeFileSync(answers, JSON.stringify(recorded))
  const bare = await start({ script: 'serve-bare-evening.ts', args: [answers, passwordHash], folder })
  return {
    login: { child: login, assets },
    plain: { child: plain, assets: PLAIN_ASSETS },
    bare: { child: bare, assets },
  }
}

/** The files of `public` that a plain page would load one by one. */
const PLAIN_ASSETS = [
  'login.css',
  'controls.css',
  'sizes.css',
  'small-players.css',
  'script.css',
  'login.js',
  'icon.svg',
].map((name) => `/assets/${name}`)

/** Records the answer of the login app to each request of an evening, and finds the assets of its screen. */
async function recordEvening(
  { port }: Child,
  username: string,
  password: string,
): Promise<{ assets: string[]; recorded: RecordedEvening }> {
  const connection = await openConnection(port)
  try {
    const read = async (request: Buffer, status: number) => {
      const answer = await connection.read(request)
      await expectStatus(answer.status, status)
      return answer
    }
    const get = async (path: string, cookie: string | null, status: number) => ({
      path,
      answer: await read(getRequest(0, cookie, path), status),
    })
    const page = await get(PAGE, null, 200)
    const links = page.answer.body.matchAll(/ (?:href|src)="(\/assets\/[^"]+)"/g)
    const assets = [...links].map(([, path = '']) => path)
    const gets = [page]
    for (const path of assets) gets.push(await get(path, null, 200))
    const wrong = await read(signInRequest(0, 'unknown@example.com', 'a wrong password'), 401)
    const right = await read(signInRequest(0, username, password), 303)
    for (const path of RETURNS) gets.push(await get(path, cookieOf(right.headers), 303))
    return { assets, recorded: { gets, wrong, right } }
  } finally {
    connection.close()
  }
}

function cookieOf(headers: readonly (readonly [name: string, value: string])[]): string {
  const [, cookie = ''] = headers.find(([name]) => name.toLowerCase() === 'set-cookie') ?? []
  return cookie.split(';', 1)[0] ?? ''
}

async function raceEvenings(
  run: BenchRun,
  contestants: Readonly<Record<ServerName, Contestant>>,
): Promise<Record<ServerName, Evening>[]> {
  const { installation } = run
  const rounds = await inRounds(ROUNDS + 1, run, 'An evening', async (call) => {
    const firstViewer = 1 + call * VIEWERS_PER_ROUND
    return {
      login: await playEvening(contestants.login, installation, firstViewer),
      plain: await playEvening(contestants.plain, installation, firstViewer),
      bare: await playEvening(contestants.bare, installation, firstViewer),
    }
  })
  // The first round warms up.
  return rounds.slice(1)
}

/** Plays an evening phase by phase, so that each phase has its own figure. */
async function playEvening(
  { child, assets }: Contestant,
  { usernameOf, password }: Installation,
  firstViewer: number,
): Promise<Evening> {
  const cookies: string[] = []
  const phase = (work: (connection: Connection, viewer: number) => Promise<void>) => phaseOf(child, firstViewer, work)
  const pages = await phase((connection, viewer) =>
    expectStatus(connection.exchange(getRequest(viewer, null, PAGE)), 200),
  )
  const files = await phase(async (connection, viewer) => {
    for (const path of assets) await expectStatus(connection.exchange(getRequest(viewer, null, path)), 200)
  })
  const signIns = await phase(async (connection, viewer) => {
    const username = usernameOf(viewer)
    if (viewer % MISTAKE_EVERY === 0) {
      await expectStatus(connection.exchange(signInRequest(viewer, username, `${password}x`)), 401)
    }
    const { status, headers } = await connection.read(signInRequest(viewer, username, password))
    await expectStatus(status, 303)
    cookies[viewer] = cookieOf(headers)
  })
  const returns = await phase(async (connection, viewer) => {
    for (const path of RETURNS) {
      await expectStatus(connection.exchange(getRequest(viewer, cookies[viewer] ?? null, path)), 303)
    }
  })
  const sum = (figure: keyof typeof pages) =>
    [pages, files, signIns, returns].reduce((total, usage) => total + usage[figure], 0)
  return {
    all: sum('cpuMicros'),
    assets: files.cpuMicros,
    mainThread: sum('mainThreadMicros'),
    signInMainThread: signIns.mainThreadMicros,
    hashing: signIns.cpuMicros - signIns.mainThreadMicros,
  }
}

/** Does one thing for all viewers of a round. @returns the CPU time of the server, per viewer. */
async function phaseOf(
  child: Child,
  firstViewer: number,
  work: (connection: Connection, viewer: number) => Promise<void>,
): Promise<Pick<Usage, 'cpuMicros' | 'mainThreadMicros'>> {
  const before = await child.usage()
  let next = firstViewer
  async function run(): Promise<void> {
    const connection = await openConnection(child.port)
    try {
      while (next < firstViewer + VIEWERS_PER_ROUND) await work(connection, next++)
    } finally {
      connection.close()
    }
  }
  await allDone(Array.from({ length: CONNECTIONS }, run))
  const after = await child.usage()
  return {
    cpuMicros: (after.cpuMicros - before.cpuMicros) / VIEWERS_PER_ROUND,
    mainThreadMicros: (after.mainThreadMicros - before.mainThreadMicros) / VIEWERS_PER_ROUND,
  }
}

async function expectStatus(status: number | Promise<number>, expected: number): Promise<void> {
  if ((await status) !== expected) throw new UnexpectedAnswers(`Expected ${expected}: ${await status}`)
}
