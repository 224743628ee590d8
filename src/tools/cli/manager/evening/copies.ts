import { threadPool } from '../../../../server/thread-pool.ts'
import { readManagerPart } from '../../settings/manager/settings.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { Asked } from './ask-thread.ts'

const ask = threadPool<string, Asked>(new URL('./ask-thread.ts', import.meta.url))

/** One copy of the login app, by its metrics. */
export interface Copy {
  readonly address: string
  readonly isUp: boolean
  /** True if it answered after more than a second. */
  readonly isSlow: boolean
  readonly version: string | null
  /** Password checks that wait. */
  readonly waiting: number
  readonly running: number
  /** The names of stores that do not answer. */
  readonly away: readonly string[]
  /** Lines of its logs that it could not write since its start, as on a full disk. */
  readonly lostLines: number
  /** Seconds by which its clock is ahead of the clock of this machine. Null if not known. */
  readonly clockSeconds: number | null
  readonly signIns: ReadonlyMap<string, number>
}

/** The state of the app behind its address. */
export interface Readiness {
  /** As the app says, or `no-answer`; `slow` for `ready` after more than a second; `no-viewers` if only the user store is empty. */
  readonly status: string
  readonly away: readonly string[]
  readonly clockSeconds: number | null
}

const NO_FIGURES = {
  isSlow: false,
  version: null,
  waiting: 0,
  running: 0,
  away: [],
  lostLines: 0,
  clockSeconds: null,
  signIns: new Map(),
}
const NO_ANSWER: Readiness = { status: 'no-answer', away: [], clockSeconds: null }

/** Asks every copy for its metrics. Empty without MANAGER_METRICS_URLS. */
export function readCopies(env: CommandIo['env']): Promise<Copy[]> {
  return Promise.all(readManagerPart(env).metricsUrls.map(readCopy))
}

async function readCopy(url: URL): Promise<Copy> {
  const address = url.host
  const answer = await ask(url.href)
  if (answer?.status !== 200) return { ...NO_FIGURES, address, isUp: false }
  const samples = samplesIn(answer.text)
  const named = (wanted: string) => samples.filter(({ name }) => name === `viewer_auth_${wanted}`)
  const checks = named('password_checks')
  const checksIn = (state: string) => checks.find(({ labels }) => labels.state === state)?.value ?? 0
  const signIns = new Map<string, number>()
  for (const { labels, value } of named('sign_ins_total')) {
    const outcome = labels.outcome ?? ''
    signIns.set(outcome, (signIns.get(outcome) ?? 0) + value)
  }
  return {
    address,
    isUp: true,
    isSlow: answer.isSlow,
    version: named('build_info')[0]?.labels.version ?? null,
    waiting: checksIn('waiting'),
    running: checksIn('running'),
    away: named('store_up').flatMap(({ labels, value }) => (value === 0 ? (labels.store ?? []) : [])),
    lostLines: named('log_lines_dropped_total').reduce((sum, { value }) => sum + value, 0),
    clockSeconds: answer.clockSeconds,
    signIns,
  }
}

/** Reads the text format of metrics, as far as the app writes it. */
function samplesIn(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(viewer_auth_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', label = '']) => [key, label])
    return { name, labels: Object.fromEntries(pairs) as Readonly<Record<string, string>>, value: Number(value) }
  })
}

/** Asks the login app if it is ready. Null without PUBLIC_URL. */
export async function readReadiness(env: CommandIo['env']): Promise<Readiness | null> {
  const { PUBLIC_URL: origin = '' } = env
  if (!URL.canParse('/health/ready', origin)) return null
  const answer = await ask(new URL('/health/ready', origin).href)
  if (answer === null) return NO_ANSWER
  try {
    const { status = 'unavailable', away = [] } = JSON.parse(answer.text) as { status?: string; away?: string[] }
    const { clockSeconds, isSlow } = answer
    // A user store that does not answer makes the app unavailable. In a degraded app, it has no viewer.
    const others = status === 'degraded' ? away.filter((setting) => setting !== 'USER_STORE_URL') : away
    const hasOnlyNoViewers = others.length === 0 && away.length > 0
    const own = status === 'ready' && isSlow ? 'slow' : String(status)
    return { status: hasOnlyNoViewers ? 'no-viewers' : own, away: others.map(String), clockSeconds }
  } catch {
    return NO_ANSWER
  }
}
