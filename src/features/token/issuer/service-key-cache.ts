import { UpstreamError } from '../../../errors.ts'
import { parseServiceKeys, type ServiceKey, type ServiceKeys } from '../viewer-token/service-keys.ts'

/** Keeps the keys that the service publishes, and fetches them in the background. For readiness, an optional store. */
export type ServiceKeyCache = Awaited<ReturnType<typeof openServiceKeyCache>>

export interface CacheLog {
  readonly info: (details: object, message: string) => void
  readonly warn: (details: object, message: string) => void
}

export interface CacheTimes {
  readonly refreshMs: number
  /** The time until the next attempt after a failure. */
  readonly retryMs: number
  readonly keepMs: number
  readonly timeoutMs: number
}

const TIMES: CacheTimes = { refreshMs: 3_600_000, retryMs: 30_000, keepMs: 24 * 3_600_000, timeoutMs: 5000 }
const LONGEST_ANSWER_BYTES = 65_536
const UPSTREAM = 'service-keys'

/**
 * Opens the cache of one address. Waits for the first answer, so that the first viewer gets a token. A service that is
 * away delays the start by 5 seconds, and does not prevent it.
 * @param nowMs a clock that only goes forward.
 */
export async function openServiceKeyCache(
  url: string,
  log: CacheLog,
  times: CacheTimes = TIMES,
  nowMs: () => number = () => performance.now(),
) {
  const closed = new AbortController()
  let known: { readonly keys: ServiceKeys; readonly sinceMs: number } | null = null
  let hasFailed = false
  let timer: NodeJS.Timeout | undefined
  let startedMs = Number.NEGATIVE_INFINITY

  async function refresh(): Promise<void> {
    startedMs = nowMs()
    try {
      const keys = await fetchServiceKeys(url, AbortSignal.any([closed.signal, AbortSignal.timeout(times.timeoutMs)]))
      const { kid } = keys[0]
      if (hasFailed || kid !== known?.keys[0].kid)
        log.info({ event: UPSTREAM, kid }, 'The newest key of the service was fetched')
      known = { keys, sinceMs: nowMs() }
      hasFailed = false
    } catch (err) {
      if (closed.signal.aborted) return
      if (!hasFailed) log.warn({ event: UPSTREAM, err }, 'The keys of the service could not be fetched')
      hasFailed = true
    }
    if (!closed.signal.aborted) {
      timer = setTimeout(() => void refresh(), hasFailed ? times.retryMs : times.refreshMs).unref()
    }
  }

  const current = () => (known !== null && nowMs() - known.sinceMs < times.keepMs ? known.keys[0] : null)
  await refresh()
  return {
    setting: 'SERVICE_VIEWER_KEY_URL',
    /** True if newest() returns a key. */
    isAvailable: () => current() !== null,
    /** Returns the seconds since the keys were fetched. Null if they never were. */
    ageSeconds: (): number | null => (known === null ? null : (nowMs() - known.sinceMs) / 1000),
    /** Returns the key to encrypt with. @throws UpstreamError if no key was fetched in the last 24 hours. */
    newest(): ServiceKey {
      const key = current()
      if (key === null) throw new UpstreamError(UPSTREAM, 'No key of the service was fetched in the last 24 hours')
      return key
    },
    /** Fetches the keys now, unless the last fetch began less than 30 seconds ago. */
    refetch(): void {
      // A fetch takes less time than this, so two never run at once.
      if (closed.signal.aborted || nowMs() - startedMs < times.retryMs) return
      clearTimeout(timer)
      void refresh()
    },
    /** Stops fetching. */
    close(): void {
      closed.abort()
      clearTimeout(timer)
    },
  }
}

/** Fetches the keys, without following a redirect. @throws UpstreamError unless the answer is 200 with a usable key. */
async function fetchServiceKeys(url: string, signal: AbortSignal): Promise<ServiceKeys> {
  try {
    const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      throw new RangeError(`has status ${answer.status}`)
    }
    return parseServiceKeys(await textOf(answer))
  } catch (cause) {
    const reason = cause instanceof RangeError ? `The answer ${cause.message}` : 'No answer'
    throw new UpstreamError(UPSTREAM, `${reason} from ${url}`, { cause })
  }
}

/** Reads the body. @throws RangeError for a body that is too long. */
async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > LONGEST_ANSWER_BYTES) throw new RangeError(`is longer than ${LONGEST_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
