import { setTimeout as sleep } from 'node:timers/promises'
import { startMailSink } from '../../src/tools/mail-sink/start-mail-sink.ts'
import { startRedis } from '../redis/servers/redis.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { type BenchPart, type BenchRun, unlessFailed } from './bench-part.ts'
import type { BenchRow } from './bench-row.ts'
import { openChildren } from './child.ts'
import { type Environment, usernameOf } from './installation.ts'
import type { MakeRequest } from './load.ts'
import { importViewers } from './many-viewers.ts'
import { passPaths } from './pass-paths.ts'
import { getRequest, ownRequest, postRequest, signInRequest } from './requests.ts'
import { askedRows, type Counts, connectionRows, openCounts } from './server-counts.ts'
import { returning } from './session-list.ts'
import { requestsOf, type Sides, startSides, type Work, workRows } from './sides.ts'

/** Requests of one copy before the first round: V8 has compiled then. */
const WARM_UP_RETURNS = 5_000
const WARM_UP_WAITING = 3_000
const RETURNS = 1_200
const PAGES = 1_200
/** Few, as each hashes a password. */
const SIGN_INS = 96
/** Connections to each copy: with more, a copy sends its questions to Redis in larger batches. */
const CONNECTIONS = 8
/** More sign-ins at once would wait too long for their hash. */
const SIGN_INS_AT_ONCE = 2

const CODES = 96
const MAIL_WAIT_MS = 30_000

/** What one viewer costs the copies of an event, which share Redis and PostgreSQL, and what it asks of these two. */
export const copies: BenchPart = {
  name: 'copies',
  expectedSeconds: 120,
  async *rows(run) {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    try {
      const database = await postgres.createDatabase()
      const environment = await sharedEnvironment(run, redis.url, postgres.url({ database }))
      const servers = await openCounts(redis.url, postgres.query, database)
      const shared: Shared = { environment, servers }
      yield* usualRows(run, shared)
      yield* unlessFailed('Reloads at several copies', () => doorRows(run, shared, RELOAD))
      yield* unlessFailed('Admissions at several copies', () => doorRows(run, shared, ADMISSION))
      yield* unlessFailed('Codes at several copies', () => codeRows(run, shared))
      servers.close()
    } finally {
      await Promise.all([redis.remove(), postgres.stop()])
    }
  },
}

/** The stores of all copies. */
interface Shared {
  readonly environment: Environment
  readonly servers: Counts
}

async function* usualRows(run: BenchRun, { environment, servers }: Shared) {
  await using children = openChildren()
  const sides = await startSides(run, children, environment)
  yield* unlessFailed('Connections of a copy', () => connectionRows(sides, servers, 'idle'))
  yield* unlessFailed('Returns at several copies', () => returnRows(run, sides, environment, servers))
  yield* unlessFailed('Connections of a busy copy', () => connectionRows(sides, servers, 'busy'))
  yield* unlessFailed('Pages at several copies', () => workRows(run, sides, PAGE))
  yield* unlessFailed('Sign-ins at several copies', () => signInRows(run, sides, servers))
}

async function sharedEnvironment(
  { installation }: BenchRun,
  redisUrl: string,
  postgresUrl: string,
): Promise<Environment> {
  await importViewers(installation, postgresUrl)
  const stores = { USER_STORE_URL: postgresUrl, SESSION_STORE_URL: redisUrl, LIMITS_STORE_URL: redisUrl }
  return { ...installation.environment, ...stores }
}

const PAGE: Work = {
  name: 'GET / without a session',
  request: (index) => getRequest(index, null),
  status: 200,
  count: PAGES,
  warmUp: WARM_UP_RETURNS,
  connections: CONNECTIONS,
}

async function returnRows(run: BenchRun, sides: Sides, environment: Environment, servers: Counts) {
  const amounts = { count: RETURNS, warmUp: WARM_UP_RETURNS, connections: CONNECTIONS }
  const sessions = await run.installation.addSessions(requestsOf(amounts), environment)
  const request = returning('__Host-viewer', sessions, environment.SESSION_SECRET ?? '')
  const work: Work = { name: 'GET / of a returning viewer', request, status: 303, ...amounts }
  const rows = await workRows(run, sides, work)
  const last = requestsOf(amounts) - RETURNS
  return [...rows, ...(await askedRows('a return', servers, sides.get(1) ?? [], work, last))]
}

async function signInRows(run: BenchRun, sides: Sides, servers: Counts) {
  const { password } = run.installation
  const request: MakeRequest = (index) => signInRequest(index, usernameOf(index), password)
  const amounts = { count: SIGN_INS, warmUp: SIGN_INS, connections: SIGN_INS_AT_ONCE }
  const work: Work = { name: 'Sign-in', request, status: 303, ...amounts }
  const rows = await workRows(run, sides, work)
  return [...rows, ...(await askedRows('a sign-in', servers, sides.get(1) ?? [], work, requestsOf(work) - SIGN_INS))]
}

interface DoorWork {
  readonly name: string
  /** In the log of a row. */
  readonly what: string
  readonly opensInSeconds: number
  readonly status: number
}

const RELOAD: DoorWork = { name: 'Reload of the waiting page', what: 'a reload', opensInSeconds: 36_000, status: 200 }
/** The door is open: there is no crowd that waits for the first second. */
const ADMISSION: DoorWork = {
  name: 'Admission from the waiting page',
  what: 'an admission',
  opensInSeconds: -60,
  status: 303,
}

/** Viewers with the waiting page of an event, before and after its opening. */
async function doorRows(run: BenchRun, { environment, servers }: Shared, door: DoorWork): Promise<BenchRow[]> {
  await using children = openChildren()
  const OPENS_AT = new Date(Date.now() + door.opensInSeconds * 1000).toISOString().replace(/\.\d+Z/, 'Z')
  const sides = await startSides(run, children, { ...environment, OPENS_AT, WAITING_ROOM: 'on' })
  const amounts = { count: PAGES, warmUp: WARM_UP_WAITING, connections: CONNECTIONS }
  const paths = passPaths(run.installation, requestsOf(amounts))
  const request: MakeRequest = (index) => ownRequest(index, paths[index] ?? '')
  const work: Work = { name: door.name, request, status: door.status, ...amounts }
  const rows = await workRows(run, sides, work)
  const last = requestsOf(amounts) - PAGES
  return [...rows, ...(await askedRows(door.what, servers, sides.get(1) ?? [], work, last))]
}

/** Viewers who ask for a code by mail. The mail goes out after the answer. */
async function codeRows(run: BenchRun, { environment, servers }: Shared): Promise<BenchRow[]> {
  let asked = 0
  let sent = 0
  const mailServer = await startMailSink(0, () => {
    sent += 1
  })
  const settings = {
    MAIL_SIGN_IN: 'store',
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    MAIL_FROM: 'login@example.com',
    GUESTS_STORE_URL: environment.USER_STORE_URL ?? '',
    MAIL_CODES_PER_HOUR: '1000000',
    LIMITS_TRUSTED_NETWORKS: '10.0.0.0/8',
  }
  async function settle(): Promise<void> {
    for (const lastMs = performance.now() + MAIL_WAIT_MS; sent < asked && performance.now() < lastMs; ) await sleep(10)
    asked = sent
  }
  function request(index: number): Buffer {
    asked += 1
    return postRequest(index, '/mail-code', { mail: usernameOf(index) })
  }
  try {
    await using children = openChildren()
    const sides = await startSides(run, children, { ...environment, ...settings })
    const amounts = { count: CODES, warmUp: CODES, connections: SIGN_INS_AT_ONCE }
    const work: Work = { name: 'Code by mail', request, status: 200, settle, ...amounts }
    const rows = await workRows(run, sides, work)
    const last = requestsOf(work) - CODES
    return [...rows, ...(await askedRows('a code by mail', servers, sides.get(1) ?? [], work, last))]
  } finally {
    await mailServer.close()
  }
}
