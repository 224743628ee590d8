import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { refusal } from './refusal.ts'
import { isRequestError, ServiceRefusal, ServiceUnreachable, UnexpectedAnswer } from './service-errors.ts'
import { givenFields, type ServiceAnswer, type ServiceRequest } from './service-request.ts'

/**
 * Sends a request. Retries after a short random wait, but only if the request cannot have had an effect: when the
 * connection was refused, and when the service answers `server_error`. A question is retried after more errors, and waits as
 * long as the service asks for, up to a minute.
 *
 * @returns an answer with a status below 400.
 * @throws ServiceRefusal for an answer with an error value, and for every 401.
 * @throws ServiceUnreachable when there is no answer.
 * @throws UnexpectedAnswer for an answer that is too long, for a redirect (credentials must not go to another address)
 * and for an error of undocumented form.
 * @throws DOMException AbortError when the signal is aborted.
 */
export type Transport = (request: ServiceRequest) => Promise<ServiceAnswer>

export interface TransportOptions {
  readonly fetch?: typeof globalThis.fetch
  /** From 0 to 1. */
  readonly random?: () => number
  readonly firstWaitMs?: number
  /** Called before a wait that the service asks for, with its end. */
  readonly onWait?: (untilMs: number) => void
}

const TRIES = 3
const QUESTION_TRIES = 6
const LONGEST_WAIT_MS = 60_000
const TIMEOUT_MS = 15_000
const MEBIBYTE = 2 ** 20
const MOST_BYTES = 8 * MEBIBYTE
const PASSING = new Set([429, 500, 502, 503, 504])
const BEFORE_SENDING = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

export function createTransport({
  fetch = globalThis.fetch,
  random = Math.random,
  firstWaitMs = 200,
  onWait,
}: TransportOptions = {}): Transport {
  return async function send(request) {
    for (let tried = 1; ; tried += 1) {
      try {
        return await exchange(fetch, request)
      } catch (error) {
        if (!isRequestError(error)) throw error
        const { isQuestion = false } = request
        if (tried === (isQuestion ? QUESTION_TRIES : TRIES)) throw error
        if (!isSafeToRepeat(error) && !(isQuestion && isPassing(error))) throw error
        const asked = isQuestion && 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0
        if (asked > LONGEST_WAIT_MS) throw error
        if (asked > 0) onWait?.(Date.now() + asked)
        const waitMs = Math.max(asked, firstWaitMs * 2 ** (tried - 1) * (0.5 + random()))
        await sleep(waitMs, undefined, request.signal ? { signal: request.signal } : {})
      }
    }
  }
}

async function exchange(fetch: typeof globalThis.fetch, request: ServiceRequest): Promise<ServiceAnswer> {
  const { method, url, headers = {}, form, timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES, signal } = request
  // AbortSignal.timeout() would keep each answer of a long report in memory until the timeout ends.
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new DOMException('Timeout', 'TimeoutError')), timeoutMs)
  const passOn = () => stop.abort(signal?.reason)
  signal?.addEventListener('abort', passOn, { once: true })
  let answer: ServiceAnswer
  let retryAfterMs: number | undefined
  try {
    signal?.throwIfAborted()
    const response = await fetch(url, {
      method,
      headers: { Accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: stop.signal,
      ...(form === undefined ? {} : { body: new URLSearchParams(givenFields(form)) }),
    })
    retryAfterMs = waitOf(response.headers)
    const contentType = response.headers.get('content-type') ?? ''
    answer = { status: response.status, contentType, body: await bodyOf(response, mostBytes) }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof UnexpectedAnswer) throw cause
    throw unreachable(url, cause, timeoutMs)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', passOn)
  }
  if (answer.status >= 400) throw Object.assign(refusal(request, answer), { retryAfterMs })
  if (answer.status >= 300) {
    throw new UnexpectedAnswer(
      `${url.origin} redirected (status ${answer.status}). Redirects are not followed. Check the address`,
    )
  }
  return answer
}

async function bodyOf(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      const most = `${Math.round(mostBytes / MEBIBYTE)} MiB`
      throw new UnexpectedAnswer(`${new URL(response.url).origin} sent an answer of more than ${most}. It was not read`)
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks, bytes))
}

/**
 * Reads the JSON of an answer.
 * @param what names the answer in an error message: "the token".
 * @throws UnexpectedAnswer if the answer is not JSON, or not of the documented form.
 */
export function readJson<T>(schema: z.ZodType<T>, { contentType, body }: ServiceAnswer, what: string): T {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (cause) {
    const kind = /html/i.test(contentType) ? 'a web page' : 'broken or incomplete data'
    throw new UnexpectedAnswer(`The service sent ${kind} instead of ${what}. Check the address in the settings`, {
      cause,
    })
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole answer'))].slice(
    0,
    5,
  )
  throw new UnexpectedAnswer(
    `The service sent ${what} in an unknown format. Unexpected or missing: ${fields.join(', ')}`,
  )
}

function unreachable(url: URL, cause: unknown, timeoutMs: number): ServiceUnreachable {
  const code = codeOf(cause)
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new ServiceUnreachable(`${url.origin} did not answer within ${timeoutMs / 1000} s`, 'timeout', { cause })
  }
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(code)) {
    return new ServiceUnreachable(
      `The certificate of ${url.origin} is not trusted (${code}). Check the address. For a private certificate authority, set NODE_EXTRA_CA_CERTS`,
      'certificate',
      { cause },
    )
  }
  return new ServiceUnreachable(`${url.origin} cannot be reached (${code || 'connection lost'})`, 'connection', {
    cause,
  })
}

/** Reads `Retry-After` (seconds, or a date), or `X-RateLimit-Reset` (UNIX time in seconds) if nothing remains. */
function waitOf(headers: Headers): number | undefined {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset')
  const atMs = after === null ? Number.NaN : Date.parse(after)
  if (after !== null && /^\d{1,9}$/.test(after)) return Number(after) * 1_000
  if (!Number.isNaN(atMs)) return Math.max(0, atMs - Date.now())
  if (headers.get('x-ratelimit-remaining') !== '0' || reset === null || !/^\d{1,12}$/.test(reset)) return undefined
  return Math.max(0, Number(reset) * 1_000 - Date.now())
}

/** True for an error that often passes. */
function isPassing(error: ServiceRefusal | ServiceUnreachable | UnexpectedAnswer): boolean {
  if (error instanceof ServiceUnreachable) return error.reason === 'connection'
  return PASSING.has(error.status ?? 0)
}

function isSafeToRepeat(error: unknown): boolean {
  if (error instanceof ServiceRefusal) return error.status === 503 && error.error === 'server_error'
  return error instanceof ServiceUnreachable && BEFORE_SENDING.has(codeOf(error.cause))
}

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return ''
}
