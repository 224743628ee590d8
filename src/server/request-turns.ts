import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that one turn of the event loop may start. A turn with two refused sign-ins takes half a millisecond. */
const REQUESTS_PER_TURN = 2

type Waiting = [IncomingMessage, ServerResponse]

/**
 * Wraps a listener so that a busy event loop still turns often. Each turn starts two requests. The others wait, first
 * in, first out. Health checks and the first request of each connection have a queue of their own; the turns take from
 * both queues alike.
 *
 * Node accepts one new connection per turn, and takes the results of password checks between two turns. Without this
 * limit, some hundred connections that send requests without pauses would make new viewers wait for many seconds.
 */
export function inTurns(listener: RequestListener): RequestListener {
  const first: Waiting[] = []
  const later: Waiting[] = []
  const waitingSockets = new WeakSet<Socket>()
  let started = 0
  let isScheduled = false

  function nextTurn(): void {
    started = 0
    isScheduled = false
    while (started < REQUESTS_PER_TURN) {
      const next = started === 0 ? (first.shift() ?? later.shift()) : (later.shift() ?? first.shift())
      if (next === undefined) break
      const [req, res] = next
      waitingSockets.delete(req.socket)
      // The client has gone.
      if (!req.destroyed) start(req, res)
    }
  }
  function start(req: IncomingMessage, res: ServerResponse): void {
    started += 1
    if (!isScheduled) {
      isScheduled = true
      setImmediate(nextTurn)
    }
    listener(req, res)
  }
  return (req, res) => {
    if (started < REQUESTS_PER_TURN) return start(req, res)
    // A client that sends a second request before the first answer could fill the memory. Browsers and proxies do not.
    if (waitingSockets.has(req.socket)) return void req.socket.destroy()
    waitingSockets.add(req.socket)
    const queue = req.socket.bytesWritten === 0 || req.url?.startsWith('/health/') ? first : later
    queue.push([req, res])
  }
}
