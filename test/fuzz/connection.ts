import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** In lower case, with repeated headers one by one. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

interface Waiting {
  readonly isHead: boolean
  readonly resolve: (answer: RawAnswer | 'closed') => void
}

const ANSWERS_WITHIN_MS = 30_000

/** Opens a keep-alive connection that sends any bytes. It connects again after the app closed it. */
export function openConnection(port: number) {
  let socket: Socket | null = null
  let received: Buffer = Buffer.alloc(0)
  let waiting: Waiting[] = []

  function open(): Socket {
    const opened = connect(port, '127.0.0.1').setNoDelay(true)
    opened.setTimeout(ANSWERS_WITHIN_MS, () => opened.destroy())
    received = Buffer.alloc(0)
    opened.on('error', () => {})
    opened.on('data', (bytes: Buffer) => {
      if (socket === opened) take(bytes)
    })
    opened.on('close', () => {
      if (socket !== opened) return
      socket = null
      const left = waiting
      waiting = []
      for (const { resolve } of left) resolve('closed')
    })
    return opened
  }
  function take(bytes: Buffer): void {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const read = readAnswer(received, next.isHead)
      if (read === null) return
      received = received.subarray(read.length)
      if (read.answer.status < 200) continue
      waiting.shift()
      if (read.answer.headers.some(([name, value]) => name === 'connection' && value === 'close')) close()
      next.resolve(read.answer)
    }
    if (received.length > 0) throw new Error(`An answer without a request: ${received.toString('latin1', 0, 200)}`)
  }
  function close(): void {
    socket?.destroy()
    socket = null
    received = Buffer.alloc(0)
    const left = waiting
    waiting = []
    for (const { resolve } of left) resolve('closed')
  }
  return {
    /** Sends one request, and resolves with its answer. Several at once are pipelined. */
    send(bytes: Buffer, isHead = false): Promise<RawAnswer | 'closed'> {
      return new Promise((resolve) => {
        socket ??= open()
        waiting.push({ isHead, resolve })
        socket.write(bytes)
      })
    },
    close,
  }
}

/** Sends bytes over a connection of their own, and returns everything that comes back within a short time. */
export function sendOnce(port: number, bytes: Buffer, waitMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part
  })
  socket.write(bytes, () => setTimeout(() => socket.destroy(), waitMs))
  return new Promise((resolve) => socket.on('close', () => resolve(text)))
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Reads one answer from the beginning of the bytes. Null if it is not complete. */
function readAnswer(bytes: Buffer, isHead: boolean): { answer: RawAnswer; length: number } | null {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  if (!(status >= 100)) throw new Error(`Not an answer: ${statusLine}`)
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const valueIn = (name: string) => headers.find(([one]) => one === name)?.[1]
  const start = end + 4
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { answer: { status, headers, body: '' }, length: start }
  }
  if (valueIn('transfer-encoding') === 'chunked') {
    const last = bytes.indexOf('\r\n0\r\n\r\n', start - 2)
    if (last < 0) return null
    return { answer: { status, headers, body: bytes.toString('utf8', start, last) }, length: last + 7 }
  }
  const length = Number(valueIn('content-length') ?? Number.NaN)
  if (Number.isNaN(length)) throw new Error(`An answer without a length: ${statusLine}`)
  if (bytes.length < start + length) return null
  return { answer: { status, headers, body: bytes.toString('utf8', start, start + length) }, length: start + length }
}
