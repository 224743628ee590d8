import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type BenchPart, type BenchRun, inRounds, unlessFailed } from './bench-part.ts'
import { type BenchRow, compared } from './bench-row.ts'
import { type Child, type Children, openChildren } from './child.ts'
import { type Contestant, cpuRace, raceRequests } from './cpu-race.ts'
import { type Environment, PLAYER_ORIGIN } from './installation.ts'
import { closedLoad } from './load.ts'
import { getRequest } from './requests.ts'
import { type ListedSession, returning, writeSessionList } from './session-list.ts'
import { generateTokenKeys, type TokenKeyTexts, writeTokenKeys } from './token-keys.ts'
import { expectOnly } from './unexpected-answers.ts'

const ROUNDS = 5
const ROUND_MS = 2000
/** Enough to keep every core busy, and few enough that no token is refused. */
const CONNECTIONS = 4 * availableParallelism()
/** Fewer than for a return with a hash, because a token costs more than the rest of a return. */
const WARM_UP_REQUESTS = 2000
const REF = `${PLAYER_ORIGIN}/embed/1`
const PATH = `/?ref=${encodeURIComponent(REF)}`

/**
 * Measures viewer tokens per second, compared with a server that does only their RSA work, and the CPU time of a
 * returning viewer's redirect with a token.
 */
export const viewerTokens: BenchPart = {
  name: 'viewer-tokens',
  expectedSeconds: 45,
  async *rows(run) {
    await using children = openChildren()
    const keys = generateTokenKeys()
    const keyFile = join(run.installation.folder, 'token-keys.json')
    writeTokenKeys(keyFile, keys)
    yield* unlessFailed('Viewer tokens', () => tokenRow(run, children, keyFile))
    yield* unlessFailed('Token of a returning viewer', () => returningRow(run, children, keys, keyFile))
  },
}

async function tokenRow(run: BenchRun, { start }: Children, keyFile: string): Promise<BenchRow> {
  const { folder } = run.installation
  const issuer = await start({ script: 'serve-viewer-tokens.ts', args: [keyFile], folder })
  const limit = await start({ script: 'serve-bare-rsa.ts', args: [keyFile], folder })
  await inRounds(1, run, 'Viewer tokens, warm-up', async () => {
    for (const child of [issuer, limit]) await answersPerSecond(child)
  })
  const rounds = await inRounds(ROUNDS, run, 'Viewer tokens', async () => ({
    tokens: await answersPerSecond(issuer),
    limit: await answersPerSecond(limit),
  }))
  return {
    name: 'Viewer tokens, against the RSA limit of this machine',
    unit: 'per second',
    ...compared(
      rounds,
      ({ tokens }) => tokens,
      ({ limit }) => limit,
    ),
    target: { atLeast: 0.9 },
    note: 'both redirect, behind bare node:http; the tokens with the queue of the login app',
  }
}

/** @throws UnexpectedAnswers for any answer without a token. */
async function answersPerSecond({ port }: Child): Promise<number> {
  const untilMs = performance.now() + ROUND_MS
  const request = getRequest(0, null, PATH)
  const { statuses, elapsedSeconds } = await closedLoad({
    port,
    connections: CONNECTIONS,
    request: () => request,
    goesOn: () => performance.now() < untilMs,
  })
  const answered = statuses.get(303) ?? 0
  expectOnly([303], statuses)
  return answered / elapsedSeconds
}

async function returningRow(
  run: BenchRun,
  children: Children,
  keys: TokenKeyTexts,
  keyFile: string,
): Promise<BenchRow> {
  const { folder, environment, addSessions, loginApp } = run.installation
  const sessions = await addSessions(raceRequests(WARM_UP_REQUESTS))
  const sessionList = join(folder, 'token-sessions.json')
  writeSessionList(sessionList, sessions)
  const login = await children.start(loginApp(await tokenEnvironment(environment, children, folder, keys)))
  const { SESSION_SECRET: sessionSecret = '' } = environment
  const settings = JSON.stringify({ playerOrigin: PLAYER_ORIGIN, returnUrl: REF, hashSecret: '', sessionSecret })
  const plain = await children.start({
    script: 'serve-plain-tokens.ts',
    args: [settings, sessionList, join(folder, 'plain-tokens.db'), keyFile],
    folder,
  })
  const contestants = {
    login: returner(login, 'viewer', sessions, sessionSecret),
    plain: returner(plain, 'connect.sid', sessions, sessionSecret),
  }
  const rounds = await cpuRace(run, 'Token of a returning viewer', contestants, WARM_UP_REQUESTS)
  return {
    name: 'Token of a returning viewer, against Express + duties',
    unit: 'µs CPU per request',
    ...compared(
      rounds,
      ({ login }) => login,
      ({ plain }) => plain,
    ),
    note: 'the duties, and the same token by jose',
  }
}

/** The keys of the service come over http, so the login app is on loopback too. */
async function tokenEnvironment(
  environment: Environment,
  { start }: Children,
  folder: string,
  { contentKey, serviceKeys }: TokenKeyTexts,
): Promise<Environment> {
  const { HASH_SECRET: _secret, PLAYER_RETURN_URL: _url, ...shared } = environment
  const file = join(folder, 'service-keys.json')
  writeFileSync(
    file,
    JSON.stringify({ status: 200, headers: [['content-type', 'application/json']], body: serviceKeys }),
  )
  const service = await start({ script: 'serve-bare-http.ts', args: [file], folder })
  return {
    ...shared,
    PUBLIC_URL: 'http://localhost:3000',
    VIEWER_AUTH: 'token',
    CONTENT_KEY: contentKey,
    SERVICE_VIEWER_KEY_URL: `http://127.0.0.1:${service.port}/viewer-auth-public-key.json`,
    REF_ADDRESSES: `${PLAYER_ORIGIN}/embed/`,
  }
}

function returner(
  child: Child,
  cookieName: string,
  sessions: readonly ListedSession[],
  sessionSecret: string,
): Contestant {
  return { child, request: returning(cookieName, sessions, sessionSecret, PATH), status: 303 }
}
