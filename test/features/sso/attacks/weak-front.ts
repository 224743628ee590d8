import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { CALLBACK_PATH } from '../../../../src/features/sso/open-sso.ts'

/** A guard that the front takes out, by changing what the guard looks at. */
export type Weakness =
  | 'a link may start a sign-in'
  | 'every origin looks like our own'
  | 'every window has every cookie'
  | 'every page may frame'
  | 'no answer names its issuer'

export interface FrontAnswer {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
}

interface Forwarded {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** Replaces the body. */
  form?: string
}

/**
 * Starts a proxy in front of the app until the test ends: browsers reach the app only through it. It shows that an attack
 * succeeds without a guard, so that the product needs no switch for its guards.
 * @param isSecureKept false for a browser that keeps no Secure cookie of http://localhost. The front then leaves the
 *   attribute out.
 */
export async function startFront(weakness: Weakness | null, isSecureKept: boolean) {
  const answers: FrontAnswer[] = []
  const cookies = new Set<string>()
  let appPort = 0
  const server = createServer((req, res) => {
    const forwarded = weaken(weakness, { method: req.method ?? '', url: req.url ?? '/', headers: req.headers }, origin)
    if (weakness === 'every window has every cookie') forwarded.headers.cookie = [...cookies].join('; ')
    forward(req, res, forwarded, appPort, (answer) => {
      const setCookies = answer.headers['set-cookie'] ?? []
      for (const cookie of setCookies) cookies.add(cookie.split(';')[0] ?? '')
      if (!isSecureKept) answer.headers['set-cookie'] = setCookies.map((cookie) => cookie.replace('; Secure', ''))
      if (weakness === 'every page may frame') delete answer.headers['content-security-policy']
      const [path = ''] = (req.url ?? '').split('?')
      answers.push({ method: req.method ?? '', path, status: answer.statusCode ?? 0 })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    answers,
    /** Sends all requests to the app at a port. */
    connect(port: number) {
      appPort = port
    },
  }
}

function weaken(weakness: Weakness | null, forwarded: Forwarded, origin: string): Forwarded {
  const { method, url, headers } = forwarded
  const { pathname, searchParams } = new URL(url, origin)
  const own = { ...headers, origin, 'sec-fetch-site': 'same-origin' }
  if (weakness === 'every origin looks like our own' && method === 'POST') return { ...forwarded, headers: own }
  if (weakness === 'a link may start a sign-in' && pathname === '/sso/start' && method === 'GET') {
    const form = searchParams.toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form.length) }
    return { method: 'POST', url: pathname, headers: { ...own, ...type }, form }
  }
  if (weakness === 'no answer names its issuer' && pathname === CALLBACK_PATH) {
    searchParams.delete('iss')
    return { ...forwarded, url: `${pathname}?${searchParams}` }
  }
  return forwarded
}

function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { method, url, headers, form }: Forwarded,
  port: number,
  onAnswer: (answer: IncomingMessage) => void,
): void {
  const upstream = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    onAnswer(answer)
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  upstream.on('error', () => res.destroy())
  if (form === undefined) req.pipe(upstream)
  else upstream.end(form)
}
