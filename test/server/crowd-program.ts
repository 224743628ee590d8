import { connect, type Socket } from 'node:net'
import { getRequest, signInRequest } from '../bench/requests.ts'

/** The load of one crowd. Argument of the program: this as JSON. */
export interface Crowd {
  readonly port: number
  readonly durationMs: number
  /** Connections that send sign-ins, and reconnect at once when the server closes them. */
  readonly signIns: number
  /** Connections that load pages, and reconnect at once when the server closes them. */
  readonly pages: number
  /** The pause between an answer and the next request on the connection. */
  readonly pauseMs: number
  /** Connections that send one byte of their headers at a time, and reconnect at once when the server closes them. */
  readonly slow: number
}

/** The program prints this as JSON after the load. */
export interface CrowdResult {
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly connections: number
}

const DRIP_EVERY_MS = 500
const OPEN_EVERY_MS = 4
const { port, durationMs, signIns, pages, pauseMs, slow } = JSON.parse(process.argv[2] ?? '') as Crowd

const statuses: Record<string, number> = {}
let connections = 0
let sent = 0
let isOver = false
const open = new Set<Socket>()
const signIn = () => addressed(signInRequest(sent, `unknown${sent++}@example.com`, 'not the password'))
const page = () => addressed(getRequest(sent++, null))

/** Puts the address of this server into `Host`, because a proxy answers other hosts itself. */
function addressed(request: Buffer): string {
  return request.toString('latin1').replace(/Host: .*/, `Host: 127.0.0.1:${port}`)
}

/** Opens a connection, and opens it again whenever it ends. */
function keepOpen(use: (socket: Socket) => void): void {
  if (isOver) return
  connections += 1
  // Each connection has another address, because a proxy replaces X-Forwarded-For, and the app limits guesses of one.
  const localAddress = `127.7.${(connections >> 8) & 255}.${connections & 255}`
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  open.add(socket)
  socket.on('error', () => {})
  socket.once('connect', () => use(socket))
  socket.once('close', () => {
    open.delete(socket)
    // A refused connection must not become a loop without a pause.
    setTimeout(keepOpen, 1, use)
  })
}

/** Sends the next request after each answer. It parses little, to leave the CPU to the server. */
function ask(next: () => string): (socket: Socket) => void {
  return (socket) => {
    let received = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
      const head = received.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1]
      if (head === -1 || length === undefined || received.length < head + 4 + Number(length)) return
      const status = received.slice(9, 12)
      const isLast = /\r\nconnection: close/i.test(received.slice(0, head))
      statuses[status] = (statuses[status] ?? 0) + 1
      received = ''
      if (isLast) socket.destroy()
      else if (pauseMs === 0) socket.write(next())
      else setTimeout(() => socket.write(next()), pauseMs)
    })
    socket.write(next())
  }
}

function drip(socket: Socket): void {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nA: ')
  const timer = setInterval(() => socket.write('a'), DRIP_EVERY_MS)
  socket.resume().once('close', () => clearInterval(timer))
}

const uses = [
  ...Array.from({ length: signIns }, () => ask(signIn)),
  ...Array.from({ length: pages }, () => ask(page)),
  ...Array.from({ length: slow }, () => drip),
]
uses.forEach((use, index) => {
  setTimeout(keepOpen, index * OPEN_EVERY_MS, use)
})
setTimeout(() => {
  isOver = true
  for (const socket of open) socket.destroy()
  process.stdout.write(`${JSON.stringify({ statuses, connections } satisfies CrowdResult)}\n`, () => process.exit())
}, durationMs)
