import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { UnexpectedAnswers } from './unexpected-answers.ts'

export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** A keep-alive connection, one request at a time. It parses little, because it shares the CPU with the server. */
export interface Connection {
  /** Resolves with the status after the whole answer. @throws UnexpectedAnswers if the connection ends before. */
  exchange(request: Buffer): Promise<number>
  /** The same, but resolves with the whole answer. */
  read(request: Buffer): Promise<Answer>
  /** False after an answer with `Connection: close`, and after the end of the connection. */
  isOpen(): boolean
  close(): void
}

interface Pending {
  resolve(status: number): void
  reject(error: Error): void
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** @throws UnexpectedAnswers if the server does not accept the connection. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect').catch((error: Error) => {
    throw new UnexpectedAnswers(error.message, { cause: error })
  })
  return overSocket(socket)
}

function overSocket(socket: Socket): Connection {
  let pending: Pending | null = null
  let received: Buffer = Buffer.alloc(0)
  let bodyAt = -1
  let endsAt = -1
  let isOpen = true

  function onData(chunk: Buffer): void {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    if (bodyAt === -1) {
      const end = received.indexOf(END_OF_HEAD)
      if (end === -1) return
      const head = received.toString('latin1', 0, end)
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      if (length === undefined) {
        fail(`An answer without Content-Length:\n${head}`)
        return
      }
      bodyAt = end + END_OF_HEAD.length
      endsAt = bodyAt + Number(length)
      if (/\r\nconnection: *close/i.test(head)) isOpen = false
    }
    if (received.length < endsAt) return
    const done = pending
    pending = null
    done?.resolve(Number(received.toString('latin1', 9, 12)))
  }
  function fail(reason: string): void {
    isOpen = false
    pending?.reject(new UnexpectedAnswers(reason))
    pending = null
  }
  socket.on('data', onData)
  socket.on('error', ({ message }) => fail(message))
  socket.on('close', () => fail('The server closed the connection'))

  function exchange(request: Buffer): Promise<number> {
    received = Buffer.alloc(0)
    bodyAt = -1
    return new Promise((resolve, reject) => {
      pending = { resolve, reject }
      // The server may close a connection between two requests.
      if (socket.destroyed) fail('The server closed the connection')
      else socket.write(request)
    })
  }
  async function read(request: Buffer): Promise<Answer> {
    const status = await exchange(request)
    const [, ...lines] = received.toString('latin1', 0, bodyAt - END_OF_HEAD.length).split('\r\n')
    const headers = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
    return { status, headers, body: received.toString('utf8', bodyAt, endsAt) }
  }
  return { exchange, read, isOpen: () => isOpen, close: () => socket.destroy() }
}

/** Sends one request, and returns its answer. @throws UnexpectedAnswers for an answer with another status. */
export async function answerOf(port: number, request: Buffer, status: number): Promise<Answer> {
  const connection = await openConnection(port)
  try {
    const answer = await connection.read(request)
    if (answer.status !== status) throw new UnexpectedAnswers(`Expected ${status}: ${JSON.stringify(answer)}`)
    return answer
  } finally {
    connection.close()
  }
}
