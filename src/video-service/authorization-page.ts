import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { z } from 'zod'
import { type AccessToken, TokenAnswer, tokenOf } from './access-token.ts'
import { AuthorizationFailed, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface AuthorizationQuestion {
  readonly responseType: 'code' | 'token'
  readonly redirectUri: string
  /** Returned unchanged: proves that the answer belongs to this question. */
  readonly state: string
  readonly tokenType?: 'bearer' | 'mac'
  readonly scope?: 'broadcaster'
  readonly deviceName?: string
  /** Of the form `xx_XX`. */
  readonly language?: string
}

/**
 * The address of the page on which the user allows or denies (specification: "Authorization endpoint").
 * @throws RangeError for what the service does not have: MAC in the code flow, `broadcaster` without MAC.
 */
export function authorizationAddress(
  { authUrl, clientId }: Pick<ServiceSettings, 'authUrl' | 'clientId'>,
  question: AuthorizationQuestion,
): string {
  const { responseType, tokenType, scope } = question
  if (responseType === 'code' && tokenType === 'mac') throw new RangeError('The code flow has bearer tokens only')
  if (scope !== undefined && tokenType !== 'mac')
    throw new RangeError('The scope broadcaster goes with a MAC token only')
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

/** 128 bits of a CSPRNG. */
export function newState(): string {
  return randomBytes(16).toString('hex')
}

/**
 * The code in the redirect of the code flow.
 * @throws AuthorizationFailed after Deny, or when the state is not ours.
 */
export function readCode(redirect: URL, state: string): string {
  assertOurs(redirect, state)
  const code = redirect.searchParams.get('code')
  if (code !== null && /^[0-9a-f]{40}$/i.test(code)) return code
  throw new UnexpectedAnswer('The redirect holds no authorization code of 40 hexadecimal digits')
}

/**
 * The token in the redirect of the implicit flow.
 * @param nowSeconds UNIX time in seconds.
 * @throws AuthorizationFailed after Deny, or when the state is not ours.
 */
export function readImplicitToken(redirect: URL, state: string, nowSeconds: number): AccessToken {
  assertOurs(redirect, state)
  const parsed = TokenAnswer.safeParse(Object.fromEntries(redirect.searchParams))
  if (parsed.success) return tokenOf(parsed.data, nowSeconds)
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new UnexpectedAnswer(`The redirect holds no token of the documented form: see ${fields}`)
}

export interface LoopbackListener {
  /** To be sent as `redirect_uri`; `http://127.0.0.1:PORT/callback` (RFC 8252 7.3). */
  readonly redirectUri: string
  /** Resolves with the first redirect to it whose state is the given one. */
  redirected(state: string, signal: AbortSignal): Promise<URL>
  close(): void
}

const Path = z.string().startsWith('/callback')

/** Listens for the redirect on a free port of the loopback interface, for as long as one authorization takes. */
export async function listenOnLoopback(): Promise<LoopbackListener> {
  const waiting = new Map<string, (redirect: URL) => void>()
  const server = createServer((request, response) => {
    const path = Path.safeParse(request.url)
    const redirect = path.success && request.method === 'GET' ? new URL(path.data, 'http://127.0.0.1') : null
    const settle = redirect && waiting.get(redirect.searchParams.get('state') ?? '')
    const words = settle ? 'You can close this window and go back to the terminal.' : 'This is not the expected answer.'
    response
      .writeHead(settle ? 200 : 404, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
      // Not before it is on its way: whoever waits closes the listener next.
      .end(`${words}\n`, () => {
        if (settle && redirect) settle(redirect)
      })
  })
  const port = await listen(server)
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
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

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The listener has no port')
  return address.port
}

function assertOurs(redirect: URL, state: string): void {
  const returned = Buffer.from(redirect.searchParams.get('state') ?? '')
  const expected = Buffer.from(state)
  if (returned.length !== expected.length || !timingSafeEqual(returned, expected)) {
    throw new AuthorizationFailed('The answer was not for our question (its state differs): begin again')
  }
  const error = redirect.searchParams.get('error')
  if (error === 'access_denied') throw new AuthorizationFailed('Access was denied on the authorization page')
  if (error !== null) throw new AuthorizationFailed(`The authorization page answered ${error.replace(/[^\w.-]/g, '')}`)
}
