import { Agent, Client, type Dispatcher, errors, Pool } from 'undici'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import type { HttpStoreSettings } from './settings.ts'

export interface HttpAnswer {
  readonly status: number
  /** `WWW-Authenticate`, or empty. */
  readonly challenge: string
  /** Null if the body is too long for a viewer. */
  readonly body: Buffer | null
}

interface HttpRequest {
  readonly origin: string
  readonly path: string
  readonly method: 'POST' | 'HEAD'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

type Attempt = HttpAnswer | { readonly fault: unknown; readonly isRetrySafe: boolean }

const LONGEST_BODY_BYTES = 262_144
/** Answers of status 1xx that may precede the final one. */
const MOST_INTERIM_ANSWERS = 10
/** Bad gateway, service unavailable, gateway timeout: a gateway answers, because the service is down. */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504]

/**
 * Sends requests to the login service over keep-alive connections. Does not follow redirects, which would forward the
 * password. Checks the certificate even if `NODE_TLS_REJECT_UNAUTHORIZED` is 0.
 *
 * Retries a request once, on a new connection, and only if the service cannot have begun to answer: the connection
 * failed, or a reused connection was closed without a byte of an answer (stale connection: RFC 9112, 9.3.1). At worst,
 * a service that crashes during a request counts a wrong password twice.
 */
export function createHttpClient(settings: Pick<HttpStoreSettings, 'token' | 'ca' | 'timeoutMs'>) {
  const reusing = createAgent(settings, 1)
  const fresh = createAgent(settings, 0)

  async function send(method: HttpRequest['method'], address: string, body: string | null, signal: AbortSignal) {
    const { origin, pathname, search } = new URL(address)
    const headers = {
      Authorization: `Bearer ${settings.token}`,
      Accept: 'application/json',
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    }
    const request = { origin, path: `${pathname}${search}`, method, headers, body, signal }
    const first = await reusing.attempt(request)
    const answer = 'fault' in first && first.isRetrySafe ? await fresh.attempt(request) : first
    if ('fault' in answer) throw unreachable(origin, answer.fault)
    if (GATEWAY_STATUSES.includes(answer.status))
      throw new UpstreamError('user-store', `${origin} is down: status ${answer.status}`)
    return answer
  }
  return {
    /** @throws UpstreamError without an answer, and for the statuses 502, 503 and 504 of a gateway. */
    post: (address: string, body: string, signal: AbortSignal): Promise<HttpAnswer> =>
      send('POST', address, body, signal),
    /** @throws UpstreamError as `post` does. */
    head: (address: string, signal: AbortSignal): Promise<HttpAnswer> => send('HEAD', address, null, signal),
    close(): void {
      for (const { agent } of [reusing, fresh]) void agent.destroy()
    },
  }
}

/** @param pipelining 1 reuses connections; 0 closes each connection after its request. */
function createAgent({ ca, timeoutMs }: Pick<HttpStoreSettings, 'ca' | 'timeoutMs'>, pipelining: 0 | 1) {
  const failedToConnect = new WeakSet<Error>()
  const onReusedConnection = new WeakSet<object>()
  const answered = new WeakSet<object>()
  const agent = new Agent({
    pipelining,
    allowH2: false,
    maxResponseSize: LONGEST_BODY_BYTES,
    connect: { rejectUnauthorized: true, timeout: timeoutMs, ...(ca === null ? {} : { ca }) },
    factory: (origin, options) => new Pool(origin, { ...options, factory: createClient }),
  }).on('connectionError', (_origin, _targets, error) => void failedToConnect.add(error))

  /** Creates a client with one connection, and remembers which requests reuse it. */
  function createClient(origin: URL, options: object): Client {
    const client = new Client(origin, options)
    const dispatch = client.dispatch.bind(client)
    return Object.assign(client, {
      dispatch(...[request, handler]: Parameters<Client['dispatch']>) {
        if (client.stats.connected) onReusedConnection.add(request)
        return dispatch(request, Object.assign(handler, { onResponseStarted: () => void answered.add(request) }))
      },
    })
  }
  async function attempt(httpRequest: HttpRequest): Promise<Attempt> {
    let interimAnswers = 0
    const onInfo = () => {
      interimAnswers += 1
      if (interimAnswers > MOST_INTERIM_ANSWERS) throw new Error('too many answers of status 1xx')
    }
    const request = { ...httpRequest, onInfo }
    try {
      return await readAnswer(await agent.request(request))
    } catch (fault) {
      const isUnconnected = fault instanceof Error && failedToConnect.has(fault)
      const isStale = onReusedConnection.has(request) && !answered.has(request)
      return { fault, isRetrySafe: !request.signal.aborted && (isUnconnected || isStale) }
    }
  }
  return { agent, attempt }
}

async function readAnswer({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const challenge = [headers['www-authenticate'] ?? []].flat().join(', ')
  const parts: Buffer[] = []
  try {
    for await (const part of body as AsyncIterable<Buffer>) parts.push(part)
    return { status, challenge, body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof errors.ResponseExceededMaxSizeError) return { status, challenge, body: null }
    throw error
  }
}

function unreachable(origin: string, cause: unknown): UpstreamError {
  const { message, code } = cause as NodeJS.ErrnoException
  const hint = isCertificateFault(code) ? '; check its certificate, HTTP_STORE_CA_FILE and its name' : ''
  return new UpstreamError('user-store', `${origin} cannot be reached: ${code ?? message}${hint}`, { cause })
}
