import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
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
