import { connect } from 'node:net'

export interface RawAnswer {
  /** The status line and the header lines, as sent. */
  readonly head: readonly string[]
  readonly body: string
}

/** Sends a request over a new connection. Returns all bytes until the server closes the connection. */
export async function rawAnswer(port: number, request: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  let received = Buffer.alloc(0)
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer])
    if (isWhole(received)) socket.end()
  }
  const end = received.indexOf('\r\n\r\n')
  return { head: received.toString('latin1', 0, end).split('\r\n'), body: received.toString('utf8', end + 4) }
}

function isWhole(received: Buffer): boolean {
  const [head = '', ...rest] = received.toString('latin1').split('\r\n\r\n')
  const length = /\r\nContent-Length: (\d+)/.exec(head)?.[1]
  return rest.length > 0 && rest.join('\r\n\r\n').length >= Number(length)
}
