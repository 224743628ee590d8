import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of each server: Node counts one that never carried a request as busy, and waits for it. */
const connections = new WeakMap<Server, Set<Socket>>()

/**
 * An HTTP server whose limits hold: Node looks at them only every 30 seconds unless told otherwise here, and lets a
 * client that sends a byte now and then keep its connection. Idle connections outlive those of a load balancer (60
 * seconds, commonly), since a balancer that is closed on answers its client 502.
 */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000, keepAliveTimeout: 65_000 },
    listener,
  )
  server.maxConnections = 20_000
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  connections.set(server, sockets)
  return server
}

/**
 * Resolves with the port when the server listens.
 * @throws NodeJS.ErrnoException such as EADDRINUSE.
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

const CLOSE_IDLE_EVERY_MS = 100
/** What a client sent before it could know that we stop has arrived by then. */
const LAST_ARRIVALS_MS = 1000

/**
 * Stops listening, lets requests that run finish, and closes each connection as soon as it is idle. Browsers open
 * connections ahead and use them later or never: those are closed too.
 * @param server from createHttpServer().
 * @param deadlineMs after which what still runs is cut off.
 */
export async function stopServer(server: Server, deadlineMs: number): Promise<void> {
  const unusedUntilMs = performance.now() + LAST_ARRIVALS_MS
  const idle = setInterval(() => {
    server.closeIdleConnections()
    if (performance.now() < unusedUntilMs) return
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  }, CLOSE_IDLE_EVERY_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(idle)
  clearTimeout(deadline)
}
