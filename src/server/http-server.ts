import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { orUndefined } from '../errors.ts'
import { answerClientFaults, type ClientFaultOptions } from './client-faults.ts'
import { scheduleFairly } from './fair-scheduling.ts'

/** The times that a client may take for its headers and its whole request, and the time between two checks. */
type ClientLimits = Required<Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>>

const CLIENT_LIMITS: ClientLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
}

/** The open connections of each server. Node counts connections without a request as busy, and would wait for them. */
const connections = new WeakMap<Server, Set<Socket>>()
/** Servers that close each connection after its next answer. */
const endingServers = new WeakSet<Server>()

/**
 * Creates an HTTP server with time limits against slow clients. Node's default, a check every 30 seconds, is too rare.
 * Idle connections outlive those of a load balancer (usually 60 seconds), which answers 502 when the app closes first.
 * @param clientFaults for requests that never reach the listener.
 */
export function createHttpServer(
  listener: RequestListener,
  clientFaults: ClientFaultOptions = {},
  options: Partial<ClientLimits> = {},
): Server {
  const server = createServer({ ...CLIENT_LIMITS, ...options, keepAliveTimeout: 65_000, requireHostHeader: false })
  const refuseWrongHost = answerClientFaults(server, clientFaults)
  const startFairly = scheduleFairly(server, listener)
  server.on('request', (req, res) => {
    keepPathOnly(req)
    if (endingServers.has(server)) res.setHeader('Connection', 'close')
    if (!refuseWrongHost(req, res)) startFairly(req, res)
  })
  server.maxConnections = 20_000
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  connections.set(server, sockets)
  return server
}

/** Connections that wait to be accepted. Node's default, 511, is less than a crowd; the kernel drops the others. */
const BACKLOG = 4096

/** Starts to listen. Resolves with the port. @throws NodeJS.ErrnoException such as EADDRINUSE. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host, BACKLOG)
  // Throws the error of a port that cannot be opened.
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

/**
 * Closes each connection after its next answer, and says so in the answer. Call it some time before stopServer(), which
 * closes idle connections: a proxy that sends a sign-in at that moment would get no answer.
 */
export function closeAfterAnswers(server: Server): void {
  endingServers.add(server)
}

const CLOSE_IDLE_EVERY_MS = 100
/** Requests that were sent before the client noticed the stop arrive within this time. */
const LAST_ARRIVALS_MS = 1000

/**
 * Stops listening, lets running requests finish, and closes idle connections, also those that a browser never used.
 * @param server from createHttpServer().
 * @param deadlineMs running requests are cut off after this time.
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

/** A target that is not a path, so that every server answers 404. */
const NO_PATH = '*'

/**
 * Replaces an absolute address in the request line by its path and query (RFC 9112, 3.2.2). Express would parse the
 * address with url.parse(), which prints an invalid address on standard error, with its query.
 */
function keepPathOnly(req: Pick<IncomingMessage, 'url'>): void {
  const { url = NO_PATH } = req
  if (url.startsWith('/')) return
  const { protocol, pathname, search } = URL.parse(url) ?? { protocol: '', pathname: '', search: '' }
  req.url = protocol === 'http:' || protocol === 'https:' ? `${pathname}${search}` : NO_PATH
}

/** Returns a warning if this process may open few files. Empty if it may open enough, or the system does not say. */
export function fileLimitWarnings(limitsFile = '/proc/self/limits'): string[] {
  const limits = orUndefined(() => readFileSync(limitsFile, 'utf8')) ?? ''
  const [, limit = ''] = /^Max open files +(\d+)/m.exec(limits) ?? []
  if (limit === '' || Number(limit) >= 1024) return []
  return [`This process may open only ${limit} files and connections. Raise the limit (ulimit -n) to 1024 or more.`]
}
