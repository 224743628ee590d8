import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { isLoopbackHost, isLoopbackName } from '../settings/fields.ts'
import { type AccessToken, TokenAnswer, tokenOf } from './access-token.ts'
import { AuthorizationFailed, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface AuthorizationQuestion {
  readonly responseType: 'code' | 'token'
  readonly redirectUri: string
  /** The redirect repeats this value, which proves that it belongs to this request. */
  readonly state: string
  readonly tokenType?: 'bearer' | 'mac'
  readonly scope?: 'broadcaster'
  readonly deviceName?: string
  /** Of the form `xx_XX`. */
  readonly language?: string
}

/**
 * Builds the address of the page where the user allows or denies access.
 * @throws RangeError for what the service does not offer: MAC in the code flow, and `broadcaster` without MAC.
 */
export function authorizationAddress(
  { authUrl, clientId }: Pick<ServiceSettings, 'authUrl' | 'clientId'>,
  question: AuthorizationQuestion,
): string {
  const { responseType, tokenType, scope } = question
  if (responseType === 'code' && tokenType === 'mac') throw new RangeError('The code flow has only bearer tokens')
  if (scope !== undefined && tokenType !== 'mac') throw new RangeError('The scope broadcaster needs a MAC token')
  const parameters = {
    response_type: responseType,
    client_id: clientId,
    redirect_uri: question.redirectUri,
    state: question.state,
    ...(tokenType === undefined ? {} : { token_type: tokenType }),
    ...(scope === undefined ? {} : { scope }),
    ...(question.deviceName === undefined ? {} : { device_name: question.deviceName }),
    ...(question.language === undefined ? {} : { lang: question.language }),
  }
  return `${authUrl}/authorize?${new URLSearchParams(parameters)}`
}

/** Returns 128 random bits in hexadecimal. */
export function newState(): string {
  return randomBytes(16).toString('hex')
}

/**
 * Reads the code from the redirect of the code flow.
 * @throws AuthorizationFailed after Deny, and for another state.
 * @throws UnexpectedAnswer for a redirect without a code.
 */
export function readCode(redirect: URL, state: string): string {
  assertOurs(redirect, state)
  const code = redirect.searchParams.get('code')
  if (code !== null && /^[0-9a-f]{40}$/i.test(code)) return code
  throw new UnexpectedAnswer('The redirect has no authorization code of 40 hexadecimal digits')
}

/**
 * Reads the token from the redirect of the implicit flow.
 * @param nowSeconds UNIX time in seconds.
 * @throws AuthorizationFailed after Deny, and for another state.
 * @throws UnexpectedAnswer for a redirect without a complete token.
 */
export function readImplicitToken(redirect: URL, state: string, nowSeconds: number): AccessToken {
  assertOurs(redirect, state)
  const parsed = TokenAnswer.safeParse(Object.fromEntries(redirect.searchParams))
  if (parsed.success) return tokenOf(parsed.data, nowSeconds)
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new UnexpectedAnswer(`The redirect has no complete token. Unexpected or missing: ${fields}`)
}

/**
 * Returns the fault of an address as `redirect_uri`, as the end of a sentence; null if it can be used. The redirect
 * carries a code or a token, so plain http stays on this machine.
 */
export function faultInRedirectUri(text: string): string | null {
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return 'is not a whole address'
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return 'must have no user name and no fragment'
  if (protocol === 'http:') return isLoopbackName(hostname) ? null : 'must be https, or http on a loopback address'
  // An app's own scheme has a dot (RFC 8252, 7.1).
  return protocol === 'https:' || protocol.includes('.') ? null : 'must be https, or http on a loopback address'
}

/** Receives the redirect of the authorization page. */
export interface RedirectReceiver {
  /** The value for `redirect_uri`. */
  readonly redirectUri: string
  /** Resolves with the first redirect that has this state. */
  redirected(state: string, signal: AbortSignal): Promise<URL>
  close(): void
}

/** True for a loopback address with a port. Without one it is port 80, which other users than root cannot open. */
export function canListenOn(address: string): boolean {
  const { protocol, hostname, port } = new URL(address)
  return protocol === 'http:' && isLoopbackName(hostname) && port !== ''
}

/**
 * Listens for the redirect on the loopback interface (RFC 8252, 7.3).
 * @param address as for canListenOn(). Port 0 is any free port.
 * @throws AuthorizationFailed if the port cannot be used.
 */
export async function listenOnLoopback(address = 'http://127.0.0.1:0/callback'): Promise<RedirectReceiver> {
  const wanted = new URL(address)
  const waiting = new Map<string, (redirect: URL) => void>()
  const server = createServer((request, response) => {
    const { url = '', method } = request
    const asked = URL.canParse(url, wanted.origin) ? new URL(url, wanted.origin) : null
    const redirect = method === 'GET' && asked?.pathname === wanted.pathname ? asked : null
    const settle = redirect && waiting.get(redirect.searchParams.get('state') ?? '')
    const words = settle
      ? 'You can close this window and go back to the terminal.'
      : 'This is not the expected redirect.'
    response
      .writeHead(settle ? 200 : 404, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
      // Settles after the answer is sent, because the caller then closes the listener.
      .end(`${words}\n`, () => {
        if (settle && redirect) settle(redirect)
      })
  })
  const port = await listen(server, wanted)
  return {
    redirectUri: wanted.port === '0' ? withPort(wanted, port) : address,
    redirected: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        waiting.set(state, resolve)
      }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listen(server: Server, { hostname, port }: URL): Promise<number> {
  // Browsers try 127.0.0.1 for every name of this machine.
  const host = isLoopbackHost(hostname) && hostname !== 'localhost' ? hostname.replace(/[[\]]/g, '') : '127.0.0.1'
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), host, resolve)
  }).catch((cause: NodeJS.ErrnoException) => {
    const message = `Cannot listen on port ${port} for the redirect (${cause.code}). Use a redirect address with another port`
    throw new AuthorizationFailed(message, { cause })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The listener has no port')
  return address.port
}

function withPort(address: URL, port: number): string {
  const changed = new URL(address)
  changed.port = String(port)
  return changed.href
}

function assertOurs(redirect: URL, state: string): void {
  const returned = Buffer.from(redirect.searchParams.get('state') ?? '')
  const expected = Buffer.from(state)
  if (returned.length !== expected.length || !timingSafeEqual(returned, expected)) {
    throw new AuthorizationFailed('This redirect belongs to another request (wrong state). Start again')
  }
  const error = redirect.searchParams.get('error')
  if (error === 'access_denied') throw new AuthorizationFailed('Access was denied on the authorization page')
  if (error !== null) throw new AuthorizationFailed(`The authorization page answered ${error.replace(/[^\w.-]/g, '')}`)
}
