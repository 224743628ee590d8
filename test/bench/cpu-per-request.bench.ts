import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchRow, median } from './bench-row.ts'
import { type Child, startChild } from './child.ts'
import { type Answer, openConnection } from './connection.ts'
import { type Installation, PLAYER_ORIGIN, RETURN_URL } from './installation.ts'
import { closedLoad, type MakeRequest } from './load.ts'
import { getRequest } from './requests.ts'
import { cookieValue, type ListedSession, writeSessionList } from './session-list.ts'

const ROUNDS = 15
const WARM_UP_REQUESTS = 5000
const ROUND_REQUESTS = 1200
const CONNECTIONS = 32
const TARGET = { atMost: 0.7 }
/** Each session is used once, because more than three returns within ten seconds count as a redirect loop. */
const SESSIONS = WARM_UP_REQUESTS + ROUNDS * ROUND_REQUESTS + 1

/** Measures CPU time of the server process per answer, compared with a plain Express app and with bare HTTP. */
export async function cpuRows(installation: Installation): Promise<BenchRow[]> {
  const { folder, environment } = installation
  const sessions = await installation.addSessions(SESSIONS)
  const sessionList = join(folder, 'sessions.json')
  writeSessionList(sessionList, sessions)
  const children: Child[] = []
  const start = async (script: string, args: string[] = [], env = {}) => {
    const child = await startChild({ script, args, env, folder })
    children.push(child)
    return child
  }
  try {
    const login = await start('../../src/main.ts', [], environment)
    const plainSettings = {
      playerOrigin: PLAYER_ORIGIN,
      returnUrl: RETURN_URL,
      hashSecret: environment.HASH_SECRET,
      sessionSecret: environment.SESSION_SECRET,
    }
    const plain = await start('serve-plain-express.ts', [JSON.stringify(plainSettings), sessionList])
    const bareOf = async (name: string, request: Buffer, status: number) => {
      const answer = await answerOf(login.port, request, status)
      writeFileSync(join(folder, name), JSON.stringify(answer))
      return await start('serve-bare-http.ts', [join(folder, name)])
    }
    const fresh: MakeRequest = (index) => getRequest(index, null)
    const withSession = (name: string) => returning(name, sessions, environment.SESSION_SECRET ?? '')
    const loginCookie = withSession('__Host-viewer')
    const first = getRequest(0, null)
    const last = loginCookie(SESSIONS - 1)
    return [
      await cpuRow('GET /, no session', 200, [
        { child: login, request: fresh },
        { child: plain, request: fresh },
        { child: await bareOf('fresh.json', first, 200), request: fresh },
      ]),
      await cpuRow('GET /, returning viewer', 303, [
        { child: login, request: loginCookie },
        { child: plain, request: withSession('connect.sid') },
        { child: await bareOf('returning.json', last, 303), request: loginCookie },
      ]),
    ]
  } finally {
    await Promise.all(children.map((child) => child.stop()))
  }
}

interface Contestant {
  readonly child: Child
  readonly request: MakeRequest
}

async function cpuRow(name: string, status: number, [login, plain, bare]: Contestants): Promise<BenchRow> {
  for (const each of [login, plain, bare]) await microsPerRequest(each, 0, WARM_UP_REQUESTS, status)
  const rounds: { login: number; plain: number; bare: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const measure = (each: Contestant) =>
      microsPerRequest(each, WARM_UP_REQUESTS + round * ROUND_REQUESTS, ROUND_REQUESTS, status)
    rounds.push({ login: await measure(login), plain: await measure(plain), bare: await measure(bare) })
  }
  const bareMicros = median(rounds.map(({ bare }) => bare))
  const overBare = median(rounds.map(({ login, bare }) => login / bare))
  return {
    name,
    value: median(rounds.map(({ login }) => login)),
    unit: 'µs CPU per request',
    baseline: median(rounds.map(({ plain }) => plain)),
    ratio: median(rounds.map(({ login, plain }) => login / plain)),
    target: TARGET,
    note: `against a plain Express app; bare node:http with the same bytes: ${bareMicros.toFixed(0)} µs (×${overBare.toFixed(2)})`,
  }
}

type Contestants = readonly [login: Contestant, plain: Contestant, bare: Contestant]

/** @throws Error if an answer has another status. */
async function microsPerRequest({ child, request }: Contestant, from: number, count: number, status: number) {
  const before = await child.usage()
  const { statuses } = await closedLoad({
    port: child.port,
    connections: CONNECTIONS,
    request: (sent) => request(from + sent),
    goesOn: (sent) => sent < count,
  })
  const after = await child.usage()
  if (statuses.get(status) !== count) throw new Error(`Expected only ${status}: ${JSON.stringify([...statuses])}`)
  return (after.cpuMicros - before.cpuMicros) / count
}

function returning(cookieName: string, sessions: readonly ListedSession[], secret: string): MakeRequest {
  return (index) => {
    const session = sessions[index]
    if (session === undefined) throw new RangeError(`There is no session ${index}`)
    return getRequest(index, `${cookieName}=${cookieValue(session, secret)}`)
  }
}

async function answerOf(port: number, request: Buffer, status: number): Promise<Answer> {
  const connection = await openConnection(port)
  try {
    const answer = await connection.read(request)
    if (answer.status !== status) throw new Error(`Expected ${status}: ${JSON.stringify(answer)}`)
    return answer
  } finally {
    connection.close()
  }
}
