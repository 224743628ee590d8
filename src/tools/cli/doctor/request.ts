import type { LookupAddress } from 'node:dns'
import { Agent, type Response as Answer, type Dispatcher, fetch } from 'undici'
import { isCertificateFault } from '../../../users/remote/certificate-fault.ts'
import { type Finding, failure, warning } from './finding.ts'

/** Statuses that the app does not give to a request for its health or its screen. */
const GUARDED: readonly number[] = [401, 403, 407, 429]

const SLOW_MS = 1_500
const TOO_SLOW_MS = 6_000

const TIMEOUT_MS = 8_000
const MAX_BYTES = 65_536

/** Filters refuse programs without these. */
const BROWSER_HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Accept-Language': 'en-US,en;q=0.9',
}
/** The headers of a browser that opens an address in a frame of another site. */
const FRAME_HEADERS = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Dest': 'iframe',
}

/** fetch() always sends the mode of a script. */
const asNavigation: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const headers = options.headers as Record<string, string>
  const isFrame = headers['Sec-Fetch-Dest'] !== undefined
  return dispatch(isFrame ? { ...options, headers: { ...headers, 'sec-fetch-mode': 'navigate' } } : options, handler)
}
const anyAddress = new Agent().compose(asNavigation)

function addressAt(address: LookupAddress) {
  return new Agent({ connect: { lookup: (_name, _options, done) => done(null, [address]) } }).compose(asNavigation)
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams
  /** The address of the host to connect to. Default: any. */
  readonly at?: LookupAddress
}

/** Requests an address as a frame of the player does. */
export function requestFrame(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response | Finding> {
  return request(url, signal, { headers: { ...FRAME_HEADERS, ...headers } })
}

/** Requests an address as a browser would, without following redirects. Returns a failure if there is no answer. */
export async function request(
  url: string,
  signal: AbortSignal,
  { headers = {}, method = 'GET', body, at }: RequestOptions = {},
): Promise<Response | Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const all = { ...BROWSER_HEADERS, ...headers }
    const dispatcher = at === undefined ? anyAddress : addressAt(at)
    const sent = { redirect: 'manual', method, headers: all, dispatcher, signal: limit } as const
    const answer = await fetch(url, body === undefined ? sent : { ...sent, body })
    const { status, statusText } = answer
    return new Response(await readBeginning(answer), { status, statusText, headers: [...answer.headers] })
  } catch (error) {
    signal.throwIfAborted()
    return connectionFault(new URL(url), codeOf(error))
  }
}

/** Posts a form as a page of the app does, at the top level. */
export function postForm(
  { publicUrl: { origin } }: { readonly publicUrl: URL },
  { basePath }: { readonly basePath: string },
  path: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response | Finding> {
  const headers = { Origin: origin, 'Sec-Fetch-Dest': 'document' }
  const body = new URLSearchParams(fields)
  return request(`${origin}${basePath}${path}`, signal, { method: 'POST', headers, body })
}

/**
 * Compares the clocks of the login app and of another server with this machine: how far each is ahead, in seconds.
 * @returns null if one of them does not answer; the name of the one that sends no Date.
 */
export async function clocksOf(
  publicUrl: URL,
  serviceUrl: string,
  signal: AbortSignal,
): Promise<{ readonly app: number; readonly service: number } | 'the login app' | 'the service' | null> {
  const [app, service] = await Promise.all([
    aheadSeconds(`${publicUrl.origin}/health/live`, signal),
    aheadSeconds(serviceUrl, signal),
  ])
  if (app === null || service === null) return null
  if (Number.isNaN(app)) return 'the login app'
  return Number.isNaN(service) ? 'the service' : { app, service }
}

/** Returns the code of Node for a request that failed, such as ECONNREFUSED. Returns the message if there is no code. */
export function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

/** Returns the reason that a screen of the app gives to programs, such as `overloaded`. Undefined on any other page. */
export function reasonOn(html: string): string | undefined {
  return /<meta name="reason" content="([a-z-]+)">/.exec(html)?.[1]
}

/** True for a page of the app. */
export function isOwnPage(html: string): boolean {
  return html.includes('<main class="card')
}

/** Reads only the beginning of the body, because an endless answer would fill the memory. */
export async function readBeginning({ body }: Pick<Answer, 'body'>, maxBytes = MAX_BYTES): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return body === null ? null : new Blob(chunks)
}

/** Names the cause of a connection that failed. */
function connectionFault({ origin, host, hostname }: URL, code: string): Finding {
  if (code === 'ECONNREFUSED') {
    return failure('nothing-listens', `Nothing listens at ${origin} (${code}). Start the program, or correct the port.`)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure('unknown-host', `DNS does not know ${hostname} (${code}). Correct the name, or add it to DNS.`)
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const fault = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'
    return failure(
      'certificate-expired',
      `The certificate of ${host} ${fault} (${code}). Browsers refuse it. Renew it, or correct the clock of this machine.`,
    )
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return failure(
      'certificate-name',
      `The certificate of ${host} is for another name (${code}). Browsers refuse it. Get one for this name.`,
    )
  }
  if (isCertificateFault(code)) {
    return failure(
      'certificate-untrusted',
      `No known authority signed the certificate of ${host} (${code}). Browsers refuse it, unless they know your authority: then set NODE_EXTRA_CA_CERTS for this command. The server must also send its intermediate certificates.`,
    )
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return failure(
      'no-tls',
      `${origin} does not speak TLS (${code}). Correct the port, or give the server a certificate.`,
    )
  }
  if (/timeout|timedout/i.test(code)) {
    return failure('no-answer', `${origin} does not answer in time (${code}). Check firewalls and the proxy.`)
  }
  return failure('no-answer', `Cannot reach ${origin} (${code}). Check its address and the proxy.`)
}

/** Returns a finding if an answer of the app takes seconds. */
export function slowAnswer(address: string, tookMs: number): Finding[] {
  if (tookMs < SLOW_MS) return []
  const text = `${address} takes ${(tookMs / 1000).toFixed(1)} s to answer.`
  const cure = 'See the log and the load of the app, its stores, and the proxy.'
  return tookMs < TOO_SLOW_MS
    ? [warning('slow-answers', `${text} Viewers wait that long for each screen. ${cure}`)]
    : [failure('slow-answers', `${text} Viewers give up, or a proxy or player stops waiting. ${cure}`)]
}

/**
 * Returns how far the clock of a server is ahead of this machine, to about a second. Null without an answer, NaN
 * without a Date. The server wrote the Date at any moment of the request: 0 if both clocks may agree, so that a slow answer
 * is not taken for a wrong clock.
 */
export async function aheadSeconds(url: string, signal: AbortSignal): Promise<number | null> {
  const sentAtMs = Date.now()
  const answer = await request(url, signal)
  const receivedAtMs = Date.now()
  if (!(answer instanceof Response)) return null
  const dateMs = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(dateMs)) return Number.NaN
  const leastSeconds = (dateMs - receivedAtMs) / 1000
  // The header has no fraction of a second.
  const mostSeconds = (dateMs + 1000 - sentAtMs) / 1000
  return leastSeconds <= 0 && mostSeconds >= 0 ? 0 : (leastSeconds + mostSeconds) / 2
}

export function isGuarded(status: number): boolean {
  return GUARDED.includes(status)
}

/** Returns the finding for an answer of a proxy or filter that wants a login of its own or forbids the request. */
export function guarded(what: string, status: number): Finding {
  const means =
    status === 403 ? 'forbids the request' : status === 429 ? 'limits requests' : 'asks for a login of its own'
  return failure(
    'proxy-guards',
    `A proxy or a filter (firewall, VPN, login of a proxy) answers ${what} with ${status} before the app: it ${means}. Viewers meet it too. Exempt the login app from it.`,
  )
}
