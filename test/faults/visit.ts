import { type IncomingMessage, request } from 'node:http'

/** The kinds of requests that arrive all the time. */
export const KINDS = ['right password', 'wrong password', 'return', 'page', 'live', 'ready'] as const
export type Kind = (typeof KINDS)[number]

/** The outcome of each kind while nothing is wrong. */
export const NORMAL: Readonly<Record<Kind, string>> = {
  'right password': 'in',
  'wrong password': 'refused',
  return: 'in',
  page: 'shown',
  live: 'live',
  ready: 'ready',
}

export const PASSWORD = 'PASSWORDMARKER correct horse'

export interface Answer {
  readonly outcome: string
  /** As a browser sends it back. Null if no cookie was set. */
  readonly cookie: string | null
  /** Null without the header. */
  readonly retryAfterSeconds: number | null
}

/** A viewer with a network address of their own, so that the limit of an address does not matter. */
export interface Visitor {
  readonly username: string
  /** Any address of 127.0.0.0/8 belongs to this machine. */
  readonly address: string
  /** Null before the first sign-in. */
  readonly cookie: string | null
}

/** Sends requests that are not of a viewer. */
export const OPERATOR: Visitor = { username: '', address: '127.0.0.1', cookie: null }

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly password?: string
  readonly sendsCookie?: true
  /** Names the outcome. */
  outcome(answer: Raw): string
}

interface Raw {
  readonly status: number
  readonly location: string
  readonly cookie: string | null
  readonly body: string
}

/** Longer than any wait that the app allows. */
const GIVE_UP_MS = 20_000
/** The outcome of a request without an answer. */
export const NO_ANSWER = 'no answer'

const passedOn = ({ status, location }: Raw) => status === 303 && location.includes('hash=%5B')

const REQUESTS: Readonly<Record<Kind, Request>> = {
  'right password': {
    method: 'POST',
    path: '/sign-in',
    password: PASSWORD,
    outcome: (raw) => (passedOn(raw) ? (raw.cookie === null ? 'in without a session' : 'in') : String(raw.status)),
  },
  'wrong password': {
    method: 'POST',
    path: '/sign-in',
    password: 'wrong',
    outcome: ({ status }) => (status === 401 ? 'refused' : String(status)),
  },
  return: {
    method: 'GET',
    path: '/',
    sendsCookie: true,
    outcome: (raw) => (passedOn(raw) ? 'in' : raw.status === 200 ? 'asked for the password' : String(raw.status)),
  },
  page: { method: 'GET', path: '/', outcome: ({ status }) => (status === 200 ? 'shown' : String(status)) },
  live: { method: 'GET', path: '/health/live', outcome: ({ status }) => (status === 200 ? 'live' : String(status)) },
  ready: {
    method: 'GET',
    path: '/health/ready',
    outcome: ({ status, body }) => (status === 200 ? (/"status":"(\w+)"/.exec(body)?.[1] ?? '') : String(status)),
  },
}

/** Sends one request on a new connection. Never throws: no answer is an outcome too. */
export async function visit(port: number, kind: Kind, visitor: Visitor): Promise<Answer> {
  const { method, path, password, sendsCookie, outcome } = REQUESTS[kind]
  const body = password === undefined ? '' : new URLSearchParams({ username: visitor.username, password }).toString()
  const headers = {
    ...(body === '' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(sendsCookie && visitor.cookie !== null ? { Cookie: visitor.cookie } : {}),
  }
  try {
    const response = await send(port, { method, path, headers, localAddress: visitor.address }, body)
    const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? null
    const retryAfter = response.headers['retry-after']
    return {
      outcome: outcome({
        status: response.statusCode ?? 0,
        location: response.headers.location ?? '',
        cookie,
        body: await textOf(response),
      }),
      cookie,
      retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
    }
  } catch {
    return { outcome: NO_ANSWER, cookie: null, retryAfterSeconds: null }
  }
}

function send(port: number, options: object, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(GIVE_UP_MS)
    request({ ...options, host: '127.0.0.1', port, agent: false, signal })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) text += part
  return text
}
