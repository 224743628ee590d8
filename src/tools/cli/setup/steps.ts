import { existsSync } from 'node:fs'
import { readUserStore } from '../../../config.ts'
import { orUndefined } from '../../../errors.ts'
import { splitList } from '../../../settings/fields.ts'
import { userStores } from '../../../users/open-user-store.ts'
import { faultInViewer } from '../../../users/viewer-fields.ts'
import { checkReachable } from '../doctor/app/addresses.ts'
import { loadPage, pageAddress } from '../doctor/page/load-page.ts'
import { codeOf, request } from '../doctor/request.ts'
import { contentId, ownLock } from '../service/lock-target.ts'
import { withService } from '../service/service.ts'
import { migrateStore } from '../settings/migrate-command.ts'
import { checkUserStore } from '../settings/store-command.ts'
import { hasServiceSettings } from '../settings/video-service/read-service-settings.ts'
import { type Outcome, outcomeOf } from '../terminal/command.ts'
import { printableParagraphs } from '../terminal/text.ts'
import {
  ADDRESS,
  CHANNEL,
  CLIENT,
  PAGES,
  type Question,
  questionsOfStore,
  RETURN_ADDRESS,
  SERVICE,
  STORE,
  VIEWER,
} from './questions.ts'
import { quietly, type Trial } from './trial.ts'

/** Questions whose answers are tested together. */
export interface Step {
  /** Each question may depend on the answer before it. */
  questions(trial: Trial): Iterable<Question>
  /** Returns what is wrong and what to do; null if the answers work. */
  test(trial: Trial): Promise<string | null>
}

const MOST_QUESTIONS = 10

/** Asked again if the service does not set the lock: only then is it known that a channel does not exist. */
export const CHANNEL_STEP: Step = {
  questions: ({ env }) => (hasServiceSettings(env) ? [CHANNEL] : []),
  test: testChannel,
}

/** In the order of the questions. */
export const STEPS: readonly Step[] = [
  { questions: () => [ADDRESS], test: testAddress },
  {
    *questions(trial) {
      yield STORE
      yield* questionsOfStore(trial)
    },
    test: testStore,
  },
  { questions: () => [RETURN_ADDRESS], test: testReturnAddress },
  { questions: () => [PAGES], test: testPages },
  {
    *questions(trial) {
      yield SERVICE
      if (hasServiceSettings(trial.env)) yield CLIENT
    },
    test: testService,
  },
  CHANNEL_STEP,
  {
    // The password of the viewer is a question too.
    questions: ({ answers }) => (Object.keys(answers).length + 2 <= MOST_QUESTIONS ? [VIEWER] : []),
    test: testViewer,
  },
]

/** The names of answers in a file that are not settings. */
export const QUESTION_NAMES: readonly string[] = [PAGES, SERVICE, CLIENT, CHANNEL, VIEWER].map(({ name }) => name)

/** Before the first start, nothing needs to listen at the address. But DNS and the certificate must be right. */
const FINE_BEFORE_START: readonly string[] = ['nothing-listens', 'no-answer']

async function testAddress({ env, signal }: Trial): Promise<string | null> {
  const answer = await request(new URL('/health/live', env.PUBLIC_URL).href, signal)
  if (!(answer instanceof Response)) return FINE_BEFORE_START.includes(answer.code) ? null : answer.text
  const isProxyWithoutApp = answer.status >= 500
  if (isProxyWithoutApp || (await isLoginApp(answer))) return null
  return `Another program answers at ${env.PUBLIC_URL} (status ${answer.status}). Stop it, or choose another address or port.`
}

/** True for the answer of this app to `/health/live`. */
export async function isLoginApp(answer: Response): Promise<boolean> {
  return answer.ok && (await answer.text()).replaceAll(/\s/g, '') === '{"status":"live"}'
}

/** Adds what may be missing in a database: the table of viewers. */
// biome-ignore format: one item a line
const MIGRATIONS: readonly ((env: Trial['env']) => Promise<{ text: string; data: object }>)[] = [
  migrateStore,
]

async function testStore(trial: Trial): Promise<string | null> {
  const { io, env } = trial
  const settings = readUserStore(env)
  const file = userStores.fileOf(env.USER_STORE_URL || undefined)
  // The first viewer creates the file.
  if (file !== null && !existsSync(file)) return null
  const fault = await faultOfStore(trial)
  if (fault === null || file !== null || !userStores.isOwn(settings)) return fault
  for (const migrate of MIGRATIONS) {
    const migrated = await outcomeOf(async (): Promise<Outcome> => ({ ok: true, ...(await migrate(env)) }))
    if (!migrated.ok) return fault
    io.stderr.write(`${migrated.text}\n`)
  }
  return await faultOfStore(trial)
}

async function faultOfStore(trial: Trial): Promise<string | null> {
  const checked = await outcomeOf(() => checkUserStore(quietly(trial), { json: true, password: false }))
  if (!checked.ok) return checked.fault
  const faults = checked.data.findings.flatMap(({ state, text }) => (state === 'failure' ? [text] : []))
  return faults.length === 0 ? null : [...new Set(faults)].join('\n')
}

async function testReturnAddress({ io, env, signal }: Trial): Promise<string | null> {
  const finding = await checkReachable('PLAYER_RETURN_URL', env.PLAYER_RETURN_URL ?? '', [404, 410], signal)
  if (finding.state === 'ok') return null
  if (finding.code !== 'return-url-doubtful') return finding.text
  // Only a player can prove that this is its return address.
  io.stderr.write(`${printableParagraphs(`Note: ${finding.text}`, io.stderr)}\n`)
  return null
}

async function testPages({ answers, signal }: Trial): Promise<string | null> {
  for (const address of splitList(answers.PAGES ?? '')) {
    try {
      const [url] = pageAddress(address)
      const { status } = url ? await loadPage(url, () => false, signal) : { status: 0 }
      if (status === 404 || status === 410 || status >= 500) return `${address} answers ${status}. Correct the address.`
    } catch (error) {
      signal.throwIfAborted()
      return `${address} cannot be loaded (${codeOf(error)}). Correct the address: a page that browsers open.`
    }
  }
  return null
}

/** Gets a token, which proves the addresses, the client and its secret. */
async function testService(trial: Trial): Promise<string | null> {
  if (!hasServiceSettings(trial.env)) return null
  const got = await outcomeOf(() =>
    withService(quietly(trial).io, async ({ apiToken, signal }) => {
      await apiToken(signal)
      return { ok: true } as const
    }),
  )
  return got.ok ? null : `${got.fault} Correct the addresses of the service, or the client and its secret.`
}

async function testChannel({ io, env, answers }: Trial): Promise<string | null> {
  const id = answers.CHANNEL ?? ''
  if (id === '') return null
  if (orUndefined(() => contentId(id, undefined)) === undefined) {
    return 'The id of a channel is a whole number, such as 1002.'
  }
  const lockRead = await withService(
    { ...io, env },
    async ({ api, signal }) => {
      await ownLock(api, { kind: 'channel', id }, signal)
      return { ok: true } as const
    },
    null,
  )
  return lockRead.ok ? null : lockRead.fault
}

function testViewer({ answers }: Trial): Promise<string | null> {
  const viewer = { username: answers.VIEWER ?? '', groups: [], attributes: {} }
  return Promise.resolve(viewer.username === '' ? null : faultInViewer(viewer))
}
