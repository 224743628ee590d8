import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import type { HttpStoreSettings } from './settings.ts'

/** Whatever the service said, once it said anything. */
export interface HttpAnswer {
  readonly status: number
  /** `WWW-Authenticate`; empty where there is none. */
  readonly challenge: string
  /** Null for one that is longer than any viewer. */
  readonly body: Buffer | null
}

export interface HttpAsker {
  /** @throws UpstreamError without an answer, and for what a gateway says of a service that is away. */
  post(address: string, body: string, signal: AbortSignal): Promise<HttpAnswer>
  head(address: string, signal: AbortSignal): Promise<HttpAnswer>
  close(): void
}

interface Question {
  readonly method: 'POST' | 'HEAD'
  readonly url: URL
  readonly body: string
  readonly token: string
  readonly signal: AbortSignal
  readonly agents: Agents
}

interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

const LONGEST_ANSWER_BYTES = 262_144
/** Each part of an answer is work, however small: this is what one counts for at least. */
const SMALLEST_PART_BYTES = 64
/** A few of status 1xx may come before an answer. */
const MOST_BEFORE_ANSWER = 10
/** Bad gateway, service unavailable, gateway timeout: there is a proxy, and behind it nobody. */
const AWAY: readonly number[] = [502, 503, 504]

/**
 * Asks over kept connections. Redirects are not followed: they would take the password along. The certificate is
 * checked, whatever `NODE_TLS_REJECT_UNAUTHORIZED` says. A question is asked a second time, on a connection of its own,
 * only where the service cannot have begun to answer: no connection came about, or one that was kept from before was
 * closed without a byte of an answer, as servers do with idle ones at the moment of their next use (RFC 9112, 9.3.1). At
 * worst a service that dies in the middle then counts one wrong password twice.
 */
export function createHttpAsker({ token, ca }: Pick<HttpStoreSettings, 'token' | 'ca'>): HttpAsker {
  const tls = { rejectUnauthorized: true, ...(ca === null ? {} : { ca }) }
  const kept = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true, ...tls }) }
  const fresh = { http: new HttpAgent(), https: new HttpsAgent(tls) }

  async function ask(method: Question['method'], address: string, body: string, signal: AbortSignal) {
    const question = { method, url: new URL(address), body, token, signal }
    const first = await attempt({ ...question, agents: kept })
    const answer = 'mayAskAgain' in first && first.mayAskAgain ? await attempt({ ...question, agents: fresh }) : first
    if ('fault' in answer) throw unreachable(address, answer.fault)
    if (AWAY.includes(answer.status)) {
      throw new UpstreamError('user-store', `${new URL(address).origin} is away: status ${answer.status}`)
    }
    return answer
  }
  return {
    post: (address, body, signal) => ask('POST', address, body, signal),
    head: (address, signal) => ask('HEAD', address, '', signal),
    close() {
      for (const agent of [kept.http, kept.https, fresh.http, fresh.https]) agent.destroy()
    },
  }
}

type Attempt = HttpAnswer | { readonly fault: unknown; readonly mayAskAgain: boolean }

function attempt({ method, url, body, token, signal, agents }: Question): Promise<Attempt> {
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    ...(method === 'POST' ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {}),
  }
  return new Promise((resolve) => {
    let isConnected = false
    let hasAnswer = false
    const onAnswer = (answer: IncomingMessage) => {
      hasAnswer = true
      readAnswer(answer).then(resolve, (fault: unknown) => resolve({ fault, mayAskAgain: false }))
    }
    const options = { method, headers, signal }
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, agent: agents.https }, onAnswer)
        : requestHttp(url, { ...options, agent: agents.http }, onAnswer)
    request.on('socket', (socket) => {
      const onConnected = () => {
        isConnected = true
      }
      if (!socket.connecting) onConnected()
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected)
    })
    let beforeAnswer = 0
    request.on('information', () => {
      hasAnswer = true
      beforeAnswer += 1
      if (beforeAnswer > MOST_BEFORE_ANSWER) request.destroy(new Error('status 1xx again and again'))
    })
    // Nobody asked for another protocol. Without this, the end of the connection would be told to nobody.
    request.on('upgrade', (_answer, socket) => {
      socket.destroy()
      resolve({ fault: new Error('status 101'), mayAskAgain: false })
    })
    request.on('error', (fault) => {
      // Only what could not be read as HTTP tells how much of it was.
      const isStale = request.reusedSocket && !hasAnswer && !('bytesParsed' in fault)
      resolve({ fault, mayAskAgain: !signal.aborted && (isStale || !isConnected) })
    })
    request.end(body)
  })
}

function readAnswer(answer: IncomingMessage): Promise<HttpAnswer> {
  const parts: Buffer[] = []
  let bytes = 0
  const head = { status: answer.statusCode ?? 0, challenge: answer.headers['www-authenticate'] ?? '' }
  return new Promise((resolve, reject) => {
    answer.on('data', (part: Buffer) => {
      bytes += Math.max(part.length, SMALLEST_PART_BYTES)
      parts.push(part)
      if (bytes <= LONGEST_ANSWER_BYTES) return
      resolve({ ...head, body: null })
      // Closes the connection, so that the rest is not read.
      answer.destroy()
    })
    answer.on('end', () => resolve({ ...head, body: Buffer.concat(parts) }))
    answer.on('error', reject)
  })
}

function unreachable(address: string, cause: unknown): UpstreamError {
  const { message, code } = cause as NodeJS.ErrnoException
  const hint = isCertificateFault(code) ? '; check its certificate, HTTP_STORE_CA_FILE and its name' : ''
  const fault = `${new URL(address).origin} cannot be reached: ${code ?? message}${hint}`
  return new UpstreamError('user-store', fault, { cause })
}
