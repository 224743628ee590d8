import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that one turn of the event loop may start. A turn then lasts about 2 ms, even if all are refused sign-ins. */
const REQUESTS_PER_TURN = 8

/**
 * Wraps a listener so that a busy event loop still turns often. Each turn starts a few requests. The others wait, first
 * in, first out.
 *
 * Node accepts one new connection per turn, and takes the results of password checks between two turns. Without this
 * limit, some hundred connections that send requests without pauses would make new viewers wait for many seconds.
 */
export function inTurns(listener: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = []
  const waitingSockets = new WeakSet<Socket>()
  let started = 0
  let isScheduled = false

  function nextTurn(): void {
    started = 0
    isScheduled = false
    while (started < REQUESTS_PER_TURN) {
      const next = waiting.shift()
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
    waiting.push([req, res])
  }
}
