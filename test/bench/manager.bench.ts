import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openManagerStore } from '../../src/tools/cli/manager/accounts/manager-store.ts'
import { type BenchPart, inRounds } from './bench-part.ts'
import { compared, measured, median, quantile } from './bench-row.ts'
import { type Child, openChildren } from './child.ts'
import { answerOf } from './connection.ts'
import { closedLoad, openLoad } from './load.ts'
import { getRequest, signInRequest } from './requests.ts'
import { allDone, expectOnly } from './unexpected-answers.ts'

const ROUNDS = 5
const ROUND_MS = 2000
const CONNECTIONS = 4 * availableParallelism()
/** Ten managers, each with a page that is renewed every two seconds. */
const PAGES_PER_SECOND = 5
const PATHS = ['/evening', '/people', '/people?text=viewer1', '/acts', '/people/one/viewer7%40example.com']
const NAME = 'eve@example.com'

/** Measures sign-ins of viewers beside managers who look at their pages, on the same machine. */
export const manager: BenchPart = {
  name: 'manager',
  expectedSeconds: 30,
  async *rows(run) {
    const { folder, environment, password, usernameOf } = run.installation
    const file = join(folder, 'manager.db')
    const store = openManagerStore(file)
    store.add({ name: NAME, role: 'event-manager', entryPoints: null }, 'none')
    const cookie = `manager=${store.start(NAME, true, Date.now() / 1000)}`
    store.close()
    const env = {
      ...environment,
      MANAGER_PORT: '0',
      MANAGER_URL: 'http://localhost:3100',
      MANAGER_STORE_FILE: file,
      MANAGER_SECRET: environment.SESSION_SECRET ?? '',
      MANAGER_LOG_FILE: join(folder, 'manager.log'),
    }
    await using children = openChildren()
    const login = await children.start(run.installation.loginApp())
    const pages = await children.start({ script: '../../src/tools/manager/main.ts', env, folder })
    const answer = await answerOf(pages.port, pageRequest(0, cookie), 200)
    const recorded = join(folder, 'manager-page.json')
    writeFileSync(recorded, JSON.stringify(answer))
    const bare = await children.start({ script: 'serve-bare-http.ts', args: [recorded], folder })
    const signIns = () => signInsPerSecond(login, (index) => signInRequest(index, usernameOf(index), password))
    await inRounds(1, run, 'Sign-ins beside managers, warm-up', () => allDone([signIns(), pagesMs(pages, cookie)]))
    const rounds = await inRounds(ROUNDS, run, 'Sign-ins beside managers', async () => {
      const alone = await signIns()
      const [besideBare] = await allDone([signIns(), pagesMs(bare, cookie)])
      const before = await pages.usage()
      const [beside, times] = await allDone([signIns(), pagesMs(pages, cookie)])
      const cpuMs = ((await pages.usage()).cpuMicros - before.cpuMicros) / 1000
      return { alone, besideBare, beside, pagesMs: times, cores: cpuMs / ROUND_MS }
    })
    const ofAlone = median(rounds.map(({ beside, alone }) => beside / alone)).toFixed(2)
    yield {
      name: 'Sign-ins beside ten managers, against beside a bare server',
      unit: '/s',
      target: { atLeast: 0.95 },
      ...compared(
        rounds,
        ({ beside }) => beside,
        ({ besideBare }) => besideBare,
      ),
      note: `${ofAlone} of sign-ins alone; the bare server sends the same pages`,
    }
    yield {
      name: 'Cores that the pages of ten managers take',
      unit: '',
      target: { atMost: 0.05 },
      ...measured(rounds, ({ cores }) => cores),
    }
    yield {
      name: 'Page of a manager while all cores hash, 95 of 100',
      unit: 'ms',
      target: { atMost: 200 },
      ...measured(rounds, ({ pagesMs: times }) => quantile(times, 0.95)),
    }
  },
}

/** @throws UnexpectedAnswers for any answer but a sign-in. */
async function signInsPerSecond({ port }: Child, request: (index: number) => Buffer): Promise<number> {
  const untilMs = performance.now() + ROUND_MS
  const load = { port, connections: CONNECTIONS, request, goesOn: () => performance.now() < untilMs }
  const { statuses, elapsedSeconds } = await closedLoad(load)
  const signedIn = statuses.get(303) ?? 0
  expectOnly([303], statuses)
  return signedIn / elapsedSeconds
}

function pageRequest(index: number, cookie: string): Buffer {
  const request = getRequest(index, cookie, PATHS[index % PATHS.length]).toString()
  return Buffer.from(request.replace('Host: login.example.com', 'Host: localhost:3100'))
}

async function pagesMs({ port }: Child, cookie: string): Promise<number[]> {
  const request = (index: number) => pageRequest(index, cookie)
  const answers = await openLoad({ port, perSecond: PAGES_PER_SECOND, durationMs: ROUND_MS, request })
  expectOnly([200], answers)
  return answers.map(({ latencyMs }) => latencyMs)
}
