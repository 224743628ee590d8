import { createHash } from 'node:crypto'
import { claimsOf } from '../features/token/viewer-token/jose-tokens.ts'
import type { RawAnswer } from './connection.ts'
import { bodyOf, type FuzzRequest, headerOf, ORIGIN, targetOf } from './fuzz-request.ts'

/** What an entry point may do, by the base path. The secrets are of its hash. */
export interface Place {
  readonly basePaths: readonly string[]
  /** Empty for tokens. */
  readonly secrets: readonly string[]
  /** Addresses to which an answer may go begin with one of these. */
  readonly addresses: readonly string[]
  readonly mayWatch: (username: string) => boolean
}

/** Everything that lets a viewer in, as the test knows it. */
export interface Credentials {
  readonly passwords: Map<string, Set<string>>
  readonly sessions: Map<string, string>
  /** Secrets of frames and codes of other devices, whose sign-in was finished. */
  readonly waits: Map<string, string>
  readonly codes: Map<string, string>
}

export interface JudgeDeps {
  readonly places: readonly Place[]
  readonly credentials: Credentials
  /** No answer may contain one. */
  readonly secrets: readonly string[]
}

const DOCUMENTED = [200, 303, 400, 401, 403, 404, 405, 409, 410, 413, 415, 417, 429, 431]
/** Paths without a viewer, which answer conditional requests. */
const CONDITIONAL = /\/(assets|health)\//
/** Paths that check passwords or sign tokens, which may be overloaded. */
const MAY_BE_BUSY =
  /^\/(e\/\w+\/?)?(sign-in|continue|sso\/(continue|code|callback)|passkey\/password|account\/[\w-]+)?$/
const INTERNALS =
  /\n\s+at \S+|node:internal|node_modules|file:\/\/|\/src\/|SQLITE_|\b(Type|Range|Syntax|Reference|Sqlite)Error\b/
const ANSWER = /[?&](?:amp;|#38;)?(hash|vt)=([^"'&<>\s\\]+)/g
const SESSION = /^viewer=([^;]+)/

/** Creates the check of all answers. It does not use the code of the app. */
export function createJudge({ places, credentials, secrets }: JudgeDeps) {
  const { passwords, sessions, waits, codes } = credentials
  /** Returns the viewers whose credentials are in the request, as it was sent. */
  function entitled(request: FuzzRequest): Set<string> {
    const viewers = new Set<string>()
    const { path } = request
    if (request.method === 'GET' || (request.method === 'POST' && path.endsWith('/continue'))) {
      for (const session of sessionsIn(request)) viewers.add(sessions.get(session) ?? '')
    }
    if (request.method === 'POST' && isOwnPost(request)) {
      const form = new URLSearchParams(bodyOf(request)?.toString('utf8') ?? '')
      const one = (name: string) => (form.getAll(name).length === 1 ? (form.get(name) ?? '') : '')
      const username = one('username').trim().normalize('NFKC').toLowerCase()
      if (path.endsWith('/sign-in') && passwords.get(username)?.has(one('password'))) viewers.add(username)
      if (path.endsWith('/sso/continue')) viewers.add(waits.get(one('wait')) ?? '')
      if (path.endsWith('/sso/code')) viewers.add(codes.get(codeOf(one('code'))) ?? '')
    } else if (request.method === 'POST') viewers.clear()
    const destination = headerOf(request, 'sec-fetch-dest')
    const isNavigation = destination === undefined || ['iframe', 'document'].includes(destination)
    if (request.method === 'GET' && !isNavigation) viewers.clear()
    viewers.delete('')
    return viewers
  }
  /** Returns the viewer of a genuine answer, and its entry point. Null if it is not genuine. */
  async function read(
    kind: string,
    text: string,
  ): Promise<{ username: string; isAt: (place: Place) => boolean } | null> {
    const decoded = decode(text)
    if (kind === 'vt') {
      const claims = await claimsOf(decoded).catch(() => null)
      return claims && { username: claims.sub, isAt: ({ secrets }) => secrets.length === 0 }
    }
    const entries = entriesOf(decoded)
    const hash = entries.pop()
    if (hash?.[0] !== 'hash') return null
    const digest = (secret: string) =>
      createHash('md5')
        .update([...entries.map(([, value]) => value), secret].join('|'))
        .digest('hex')
    const isAt = (place: Place) => place.secrets.some((secret) => digest(secret) === hash[1])
    return places.some(isAt) ? { username: entries[0]?.[1] ?? '', isAt } : null
  }
  async function faultsIn(request: FuzzRequest, answer: RawAnswer): Promise<string[]> {
    const { status, headers, body } = answer
    const valueIn = (name: string) => headers.find(([one]) => one === name)?.[1]
    const faults: string[] = []
    const isUnchanged =
      status === 304 && headerOf(request, 'if-none-match') !== undefined && CONDITIONAL.test(request.path)
    if (status === 503) {
      if (!(Number(valueIn('retry-after')) > 0)) faults.push('503 without Retry-After')
      if (!MAY_BE_BUSY.test(request.path)) faults.push('503 where none is documented')
    } else if (!isUnchanged && !DOCUMENTED.includes(status)) faults.push(`status ${status} is not documented`)
    const head = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
    if (headers.some(([name]) => name.startsWith('x-injected'))) faults.push('an injected header')
    if (INTERNALS.test(body)) faults.push(`internals: ${INTERNALS.exec(body)?.[0]}`)
    if (secrets.some((secret) => body.includes(secret) || head.includes(secret))) faults.push('a secret')
    const allowed = entitled(request)
    const session = headers.flatMap(([name, value]) => (name === 'set-cookie' ? (SESSION.exec(value)?.[1] ?? []) : []))
    if (session.length > 0 && allowed.size === 0) faults.push('a session without credentials')
    for (const value of session) for (const username of allowed) sessions.set(decode(value), username)
    const addresses = `${valueIn('location') ?? ''} ${valueIn('refresh') ?? ''}`
    for (const [whole, kind = '', text = ''] of `${addresses} ${body}`.matchAll(ANSWER)) {
      const given = await read(kind, text)
      if (given === null) {
        if (addresses.includes(whole) && text !== 'false') faults.push('an answer that is not genuine')
        continue
      }
      const place = places.find((one) => given.isAt(one) && one.basePaths.some((base) => isBelow(request.path, base)))
      if (!allowed.has(given.username)) faults.push(`an answer for ${given.username} without credentials`)
      if (place === undefined) faults.push('an answer of another entry point')
      else if (!place.mayWatch(given.username)) faults.push(`${given.username} may not watch here`)
      const isKnown = place?.addresses.some((address) => isWithin(valueIn('location'), address))
      if (valueIn('location') !== undefined && !isKnown) faults.push('an answer to a wrong address')
      answers.push(kind)
    }
    return faults
  }
  /** Checks what came back for bytes that are hardly a request. They contain no credentials. */
  async function faultsInBytes(text: string): Promise<string[]> {
    const faults: string[] = []
    for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
      if (![...DOCUMENTED, 100].includes(Number(status))) faults.push(`status ${status} is not documented`)
    }
    if (INTERNALS.test(text)) faults.push('internals')
    if (secrets.some((secret) => text.includes(secret))) faults.push('a secret')
    for (const [, kind = '', given = ''] of text.matchAll(ANSWER)) {
      if ((await read(kind, given)) !== null) faults.push('an answer without credentials')
    }
    return faults
  }
  /** The kind of each answer that viewers got. */
  const answers: string[] = []
  return { faultsIn, faultsInBytes, answers }
}

/** True for a post of our own page, or from outside a browser. */
function isOwnPost(request: FuzzRequest): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = headerOf(request, 'origin')
  return origin === undefined || origin === ORIGIN
}

function sessionsIn(request: FuzzRequest): string[] {
  const cookies = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim().split('='))
  return cookies.flatMap(([name, value]) =>
    name?.trim() === 'viewer' ? decode((value ?? '').replaceAll('"', '').trim()) : [],
  )
}

export const codeOf = (text: string) => text.normalize('NFKC').replace(/[\s-]/g, '').toUpperCase()

/** @param target a path, or an absolute address. */
function isBelow(target: string, base: string): boolean {
  const path = target.replace(/^http:\/\/[^/]*/, '')
  return base === '' ? !/^\/e\/(?!default)/.test(path) : path === base || path.startsWith(`${base}/`)
}

function isWithin(location: string | undefined, address: string): boolean {
  const url = URL.parse(location ?? '')
  const allowed = new URL(address)
  if (url === null || url.origin !== allowed.origin) return false
  return address.endsWith('/') ? url.pathname.startsWith(allowed.pathname) : url.pathname === allowed.pathname
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function entriesOf(json: string): [string, string][] {
  try {
    const parsed: unknown = JSON.parse(json)
    if (!Array.isArray(parsed)) return []
    return parsed
      .flatMap((one) => Object.entries(one as object).slice(0, 1))
      .map(([name, value]) => [name, String(value)])
  } catch {
    return []
  }
}

/** Describes a request for the report of a fault. */
export function describe(request: FuzzRequest): string {
  const headers = request.headers.map(([name, value]) => `${name}: ${value.slice(0, 200)}`).join(' ¦ ')
  return `${request.method} ${targetOf(request).slice(0, 500)} [${headers}] ${bodyOf(request)?.toString('latin1').slice(0, 500)}`
}
