import { readManagerPart } from '../../settings/manager/settings.ts'
import type { CommandIo } from '../../terminal/io.ts'

const TIMEOUT_MS = 2_500
const MOST_BYTES = 5_000_000

/** One copy of the login app, by its metrics. */
export interface Copy {
  readonly address: string
  readonly isUp: boolean
  readonly version: string | null
  /** Password checks that wait. */
  readonly waiting: number
  readonly running: number
  /** The names of stores that do not answer. */
  readonly away: readonly string[]
  /** Seconds by which its clock is ahead of the clock of this machine. Null if not known. */
  readonly clockSeconds: number | null
  readonly signIns: ReadonlyMap<string, number>
}

/** The state of the app behind its address. */
export interface Readiness {
  /** As the app says, or `no-answer`; `no-viewers` if nothing is wrong but an empty user store. */
  readonly status: string
  readonly away: readonly string[]
  readonly clockSeconds: number | null
}

const NO_FIGURES = { version: null, waiting: 0, running: 0, away: [], clockSeconds: null, signIns: new Map() }
const NO_ANSWER: Readiness = { status: 'no-answer', away: [], clockSeconds: null }

/** Asks every copy for its metrics. Empty without MANAGER_METRICS_URLS. */
export function readCopies(env: CommandIo['env'], nowMs: () => number): Promise<Copy[]> {
  return Promise.all(readManagerPart(env).metricsUrls.map((url) => readCopy(url, nowMs)))
}

async function readCopy(url: URL, nowMs: () => number): Promise<Copy> {
  const address = url.host
  const answer = await ask(url, nowMs)
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
    version: named('build_info')[0]?.labels.version ?? null,
    waiting: checksIn('waiting'),
    running: checksIn('running'),
    away: named('store_up').flatMap(({ labels, value }) => (value === 0 ? (labels.store ?? []) : [])),
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
export async function readReadiness(env: CommandIo['env'], nowMs: () => number): Promise<Readiness | null> {
  const { PUBLIC_URL: origin = '' } = env
  if (!URL.canParse('/health/ready', origin)) return null
  const answer = await ask(new URL('/health/ready', origin), nowMs)
  if (answer === null) return NO_ANSWER
  try {
    const { status = 'unavailable', away = [] } = JSON.parse(answer.text) as { status?: string; away?: string[] }
    const { clockSeconds } = answer
    // A user store that does not answer makes the app unavailable. In a degraded app, it has no viewer.
    const others = status === 'degraded' ? away.filter((setting) => setting !== 'USER_STORE_URL') : away
    const hasOnlyNoViewers = others.length === 0 && away.length > 0
    return { status: hasOnlyNoViewers ? 'no-viewers' : String(status), away: others.map(String), clockSeconds }
  } catch {
    return NO_ANSWER
  }
}

async function ask(url: URL, nowMs: () => number) {
  const startMs = nowMs()
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = (await response.text()).slice(0, MOST_BYTES)
    const date = Date.parse(response.headers.get('Date') ?? '')
    // The header has whole seconds.
    const offset = (date + 500 - (startMs + nowMs()) / 2) / 1000
    const clockSeconds = Number.isNaN(date) ? null : Math.round(offset)
    return { status: response.status, text, clockSeconds }
  } catch {
    return null
  }
}
