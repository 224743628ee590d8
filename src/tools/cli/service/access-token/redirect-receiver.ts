import { createServer, type Server } from 'node:http'
import { isLoopbackHost, isLoopbackName } from '../../../../settings/fields.ts'
import { AuthorizationFailed } from '../../../video-service/service-errors.ts'

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
