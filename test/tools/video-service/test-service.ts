import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a service on a free loopback port, and stops it at the end of the test. */
export async function startService(answer: RequestListener, tls?: ServerOptions): Promise<URL> {
  const server: Server = tls ? createHttpsServer(tls, answer) : createHttpServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Returns a loopback address without a listener. */
export async function closedAddress(): Promise<URL> {
  const server = createHttpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return new URL(`http://127.0.0.1:${port}`)
}

/** Returns the settings for a service at this address. */
export function environmentAt(url: URL): Record<string, string> {
  const { origin } = url
  return {
    SERVICE_AUTH_URL: origin,
    SERVICE_OAUTH_URL: origin,
    SERVICE_BASE_URL: origin,
    SERVICE_ANALYTICS_URL: `${origin}/v1`,
    SERVICE_CLIENT_ID: '0'.repeat(40),
    SERVICE_CLIENT_SECRET: '1'.repeat(40),
  }
}

/** Answers with JSON. */
export function sendJson(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
