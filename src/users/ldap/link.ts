import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type AskedOf, askedBy, assertAnswer, elementAt } from './answer.ts'

/** All that one connection may bring: thousands of groups are far below. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_ELEMENTS = 20_000

/**
 * A connection as the library uses it. It gets whole messages one by one, each an answer to what it asked last; with
 * anything else, or too much, the connection ends.
 *
 * @param ready the event by which a socket tells that it is open.
 * @param onEnd told of every end of the connection, the first time with its reason. The link itself never fails: the
 *   library listens to errors only for a while, and one that nobody listens to ends this program.
 */
export function linkOver(socket: Socket, ready: 'connect' | 'secureConnect', onEnd: (error: Error) => void): Duplex {
  let asked: AskedOf | null = null
  let elements = 0
  const link = new Duplex({
    read() {},
    write(message: Buffer, _encoding, done) {
      asked = askedBy(message)
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
        if (asked === null) throw new Error('The directory spoke before it was asked')
        elements += 1 + assertAnswer(message, asked)
        if (elements > MOST_ELEMENTS) throw tooMuch()
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

/** Cuts what arrives into whole messages, each part of which is copied once, however small the parts are. */
function createSplitter(): (part: Buffer) => Generator<Buffer> {
  let parts: Buffer[] = []
  let waiting = 0
  let needed = 0
  let received = 0

  return function* split(part) {
    parts.push(part)
    waiting += part.length
    received += part.length
    if (received > MOST_BYTES) throw tooMuch()
    if (waiting < needed) return
    let bytes = Buffer.concat(parts)
    for (;;) {
      if (bytes.length > 0 && bytes[0] !== MESSAGE) throw new Error('The directory does not speak LDAP')
      needed = elementAt(bytes, 0)?.end ?? bytes.length + 1
      if (needed > MOST_BYTES) throw tooMuch()
      if (bytes.length < needed) break
      yield bytes.subarray(0, needed)
      bytes = bytes.subarray(needed)
    }
    parts = [bytes]
    waiting = bytes.length
  }
}

const MESSAGE = 0x30

function tooMuch(): Error {
  return new Error('The directory sent more than any viewer can be')
}
