import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** The reason why a connection ended without an answer of the app. */
export type ClientFault = 'malformed' | 'too-large' | 'too-slow' | 'reset' | 'dropped'

export interface ClientFaultOptions {
  /** The security headers of each answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called for each fault. No line is logged, because a client could send any number of faults. */
  readonly count?: (fault: ClientFault) => void
}

/** Answers by the error codes of Node's HTTP parser. Any other code is a malformed request. */
const ANSWERS: Readonly<Record<string, { status: number; fault: ClientFault }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, fault: 'too-large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, fault: 'too-large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, fault: 'too-slow' },
}
const MALFORMED = { status: 400, fault: 'malformed' } as const

/**
 * Answers requests that Node refuses before the app sees them. Node's own answers lack the security headers.
 * @returns a function that refuses a request with a wrong `Host`. It returns true if it answered.
 */
export function answerClientFaults(
  server: Server,
  { headers = {}, count = () => {} }: ClientFaultOptions,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const headersFor = (body: string) => ({
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(body.length),
    Connection: 'close',
  })
  function refuse(res: ServerResponse, status: number): void {
    const body = bodyOf(status)
    count('malformed')
    res.writeHead(status, headersFor(body)).end(body)
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { status, fault } = ANSWERS[error.code ?? ''] ?? MALFORMED
    const canAnswer = error.code !== 'ECONNRESET' && socket.writable
    count(canAnswer ? fault : 'reset')
    if (canAnswer && !hasBegunToAnswer(socket)) {
      const body = bodyOf(status)
      writeAnswer(socket, status, headersFor(body), body)
    }
    // Immediately, because a client that does not read the answer would hold the connection.
    socket.destroy()
  })
  server.on('checkExpectation', (_req, res) => refuse(res, 417))
  server.on('drop', () => count('dropped'))
  return (req, res) => {
    if (hasOneHost(req)) return false
    refuse(res, 400)
    return true
  }
}

/**
 * True for exactly one `Host` header; HTTP/1.0 needs none. Node refuses a missing one, but keeps only the first of
 * several. A proxy that reads another one could route, log or cache for the wrong site (RFC 9112, 3.2).
 */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0)
}

/** Writes a whole answer to a connection that has no response object. */
function writeAnswer(socket: Socket, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  const all = Object.entries({ Date: new Date().toUTCString(), ...headers })
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** True if a part of an answer was sent: a second answer would corrupt it. Node's own handler has the same check. */
function hasBegunToAnswer(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  return typeof response === 'object' && response !== null && Reflect.get(response, 'headersSent') === true
}

function bodyOf(status: number): string {
  return `${STATUS_CODES[status]}\n`
}
