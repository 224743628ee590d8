import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { assertAnswer, elementAt, type PendingRequest, readRequest } from './answer.ts'

/** Limits for one connection, far above what thousands of groups need. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_ELEMENTS = 20_000

/**
 * Wraps a socket for ldapts. ldapts gets complete messages only, each checked as an answer to its last request. Any
 * other message, or too much data, closes the connection.
 *
 * @param ready the socket's event for an open connection.
 * @param onEnd called when the connection ends; the first call has the reason. The wrapper emits no errors: ldapts does
 *   not always listen, and an unhandled error would end the process.
 */
export function linkOver(socket: Socket, ready: 'connect' | 'secureConnect', onEnd: (error: Error) => void): Duplex {
  let request: PendingRequest | null = null
  let elements = 0
  const link = new Duplex({
    read() {},
    write(message: Buffer, _encoding, done) {
      request = readRequest(message)
      socket.write(message, () => done())
    },
    final(done) {
      socket.end()
      done()
    },
    destroy(_error, done) {
      socket.destroy()
      done(null)
    },
  })
  const end = (error: Error) => {
    onEnd(error)
    link.destroy()
  }
  const split = createSplitter()
  socket.on('data', (part) => {
    try {
      for (const message of split(part)) {
        if (request === null) throw new Error('The directory sent a message before any request')
        elements += 1 + assertAnswer(message, request)
        if (elements > MAX_ELEMENTS) throw tooLarge()
        link.push(message)
      }
    } catch (error) {
      end(error as Error)
    }
  })
  socket.on('error', end)
  socket.on('close', () => end(new Error('The connection was closed')))
  socket.once(ready, () => link.emit(ready))
  return link
}

/** Splits the received data into complete messages. Copies each byte once, however small the parts are. */
function createSplitter(): (part: Buffer) => Generator<Buffer> {
  let parts: Buffer[] = []
  let waiting = 0
  let needed = 0
  let received = 0

  return function* split(part) {
    parts.push(part)
    waiting += part.length
    received += part.length
    if (received > MAX_BYTES) throw tooLarge()
    if (waiting < needed) return
    let bytes = Buffer.concat(parts)
    for (;;) {
      if (bytes.length > 0 && bytes[0] !== MESSAGE) throw new Error('The directory does not speak LDAP')
      needed = elementAt(bytes, 0)?.end ?? bytes.length + 1
      if (needed > MAX_BYTES) throw tooLarge()
      if (bytes.length < needed) break
      yield bytes.subarray(0, needed)
      bytes = bytes.subarray(needed)
    }
    parts = [bytes]
    waiting = bytes.length
  }
}

const MESSAGE = 0x30

function tooLarge(): Error {
  return new Error('The directory sent too much data for one viewer')
}
