import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchPart, type BenchRun, inRounds } from './bench-part.ts'
import { type BenchRow, compared, measured } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Environment, type Installation, PLAYER_ORIGIN, RETURN_URL } from './installation.ts'
import type { Usage } from './report-usage.ts'
import { getRequest, signInRequest } from './requests.ts'
import { writeSessionList } from './session-list.ts'

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

interface Contestant {
  readonly child: Child
  /** The paths that the screen of this server loads. */
  readonly assets: readonly string[]
}

/** CPU time of one viewer, in microseconds. */
interface Evening {
  readonly all: number
  readonly assets: number
  /** The main thread, which runs the JavaScript. Passwords are verified in other threads. */
  readonly mainThread: number
  /** The main thread while viewers sign in. */
  readonly signInMainThread: number
  /** The other threads while viewers sign in. */
  readonly hashing: number
}

/**
 * Measures an evening as viewers live it: the screen and its assets, a sign-in, three returns and a chat. The limit is a
 * server that sends the same bytes and verifies the same passwords.
 */
export const evening: BenchPart = {
  name: 'evening',
  expectedSeconds: 75,
  async *rows(run) {
    await using children = openChildren()
    const contestants = await startContestants(run.installation, children.start)
    const rounds = await raceEvenings(run, contestants)
    const row = (name: string, of: 'login', base: 'plain' | 'bare', figure: keyof Evening) => ({
      name,
      unit: 'µs CPU per viewer',
      ...compared(
        rounds,
        (round) => round[of][figure],
        (round) => round[base][figure],
      ),
    })
    yield {
      ...row('An evening, against the argon2id limit', 'login', 'bare', 'all'),
      target: { atMost: 1.17 },
      note: 'the limit: the same bytes by node:http, the same passwords by argon2id',
    } satisfies BenchRow
    yield {
      ...row('An evening, against plain Express with the same duties', 'login', 'plain', 'all'),
      target: { atMost: 0.92 },
      note: 'plain Express serves its six assets with express.static',
    }
    yield row('Assets of the screen, against plain Express', 'login', 'plain', 'assets')
    yield row('Assets of the screen, against node:http', 'login', 'bare', 'assets')
    yield {
      ...row('JavaScript of a sign-in, against plain Express', 'login', 'plain', 'signInMainThread'),
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
  { folder, environment, loginApp, password, passwordHash }: Installation,
  start: (options: ReturnType<Installation['loginApp']>) => Promise<Child>,
): Promise<Record<'login' | 'plain' | 'bare', Contestant>> {
  const ownSessions: Environment = { SESSION_STORE_URL: `sqlite:${join(folder, 'evening.db')}` }
  const login = await start(loginApp({ ...environment, ...ownSessions, HASH_CONSUMERS: CONSUMER }))
  const assets = await assetsOf(login)
  const sessionList = join(folder, 'no-sessions.json')
  writeSessionList(sessionList, [])
  const { HASH_SECRET: hashSecret, SESSION_SECRET: sessionSecret } = environment
  const settings = JSON.stringify({ playerOrigin: PLAYER_ORIGIN, returnUrl: RETURN_URL, hashSecret, sessionSecret })
  const args = [settings, sessionList, join(folder, 'plain-evening.db'), passwordHash]
  const plain = await start({ script: 'serve-plain-express.ts', args, folder })
  const answers = join(folder, 'evening.json')
  writeFileSync(answers, JSON.stringify(await answersOf(login, assets, password)))
  const bare = await start({ script: 'serve-bare-evening.ts', args: [answers, passwordHash], folder })
  return {
    login: { child: login, assets },
    plain: { child: plain, assets: PLAIN_ASSETS },
    bare: { child: bare, assets },
  }
}

/** The files of `public` that a plain page would load one by one. */
const PLAIN_ASSETS = ['login.css', 'sizes.css', 'small-players.css', 'script.css', 'login.js', 'icon.svg'].map(
  (name) => `/assets/${name}`,
)

async function assetsOf({ port }: Child): Promise<string[]> {
  const connection = await openConnection(port)
  const { body } = await connection.read(getRequest(0, null, PAGE))
  connection.close()
  return [...body.matchAll(/ (?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
}

/** Reads what the login app answers to each request of an evening, for the server that only sends it again. */
async function answersOf({ port }: Child, assets: readonly string[], password: string) {
  const connection = await openConnection(port)
  const get = async (path: string, cookie: string | null) => ({
    path,
    answer: await connection.read(getRequest(0, cookie, path)),
  })
  const gets = []
  for (const path of [PAGE, ...assets]) gets.push(await get(path, null))
  const wrong = await connection.read(signInRequest(0, 'nobody@example.com', 'a wrong password'))
  const right = await connection.read(signInRequest(0, 'viewer0@example.com', password))
  for (const path of RETURNS) gets.push(await get(path, cookieOf(right.headers)))
  connection.close()
  return { gets, wrong, right }
}

function cookieOf(headers: readonly (readonly [name: string, value: string])[]): string {
  const [, cookie = ''] = headers.find(([name]) => name.toLowerCase() === 'set-cookie') ?? []
  return cookie.split(';', 1)[0] ?? ''
}

type Names = 'login' | 'plain' | 'bare'

async function raceEvenings(
  run: BenchRun,
  contestants: Readonly<Record<Names, Contestant>>,
): Promise<Record<Names, Evening>[]> {
  const { installation } = run
  const rounds = await inRounds(ROUNDS + 1, run, 'An evening', async (round) => {
    const from = 1 + round * VIEWERS_PER_ROUND
    return {
      login: await liveEvening(contestants.login, installation, from),
      plain: await liveEvening(contestants.plain, installation, from),
      bare: await liveEvening(contestants.bare, installation, from),
    }
  })
  // The first round warms up.
  return rounds.slice(1)
}

/** Lets viewers live an evening, phase by phase, so that each phase has its own figure. */
async function liveEvening(
  { child, assets }: Contestant,
  { usernameOf, password }: Installation,
  from: number,
): Promise<Evening> {
  const cookies: string[] = []
  const phase = (work: (connection: Connection, viewer: number) => Promise<void>) => phaseOf(child, from, work)
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
    [pages, files, signIns, returns].reduce((total, phase) => total + phase[figure], 0)
  return {
    all: sum('cpuMicros'),
    assets: files.cpuMicros,
    mainThread: sum('mainThreadMicros'),
    signInMainThread: signIns.mainThreadMicros,
    hashing: signIns.cpuMicros - signIns.mainThreadMicros,
  }
}

/** Does one thing for all viewers of a round. @returns what the server used, per viewer. */
async function phaseOf(
  child: Child,
  from: number,
  work: (connection: Connection, viewer: number) => Promise<void>,
): Promise<Omit<Usage, 'rssBytes'>> {
  const before = await child.usage()
  let next = from
  async function run(): Promise<void> {
    const connection = await openConnection(child.port)
    while (next < from + VIEWERS_PER_ROUND) await work(connection, next++)
    connection.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
  const after = await child.usage()
  return {
    cpuMicros: (after.cpuMicros - before.cpuMicros) / VIEWERS_PER_ROUND,
    mainThreadMicros: (after.mainThreadMicros - before.mainThreadMicros) / VIEWERS_PER_ROUND,
  }
}

async function expectStatus(status: number | Promise<number>, expected: number): Promise<void> {
  if ((await status) !== expected) throw new Error(`Expected ${expected}: ${await status}`)
}
