import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** After a turn that takes longer, the next one may start fewer requests. */
const TURN_MS = 1
/** A refused sign-in takes 0.2 ms. */
const FEWEST_PER_TURN = 2
/** A screen takes 0.04 ms. More per turn would save no CPU. */
const MOST_PER_TURN = 16

type Waiting = [IncomingMessage, ServerResponse]

/**
 * Wraps a listener so that a busy event loop still turns often. Each turn starts requests for about a millisecond. The
 * others wait, first in, first out. Health checks and the first request of each connection have a queue of their own;
 * the turns take from both queues alike.
 *
 * Node accepts one new connection per turn, and takes the results of password checks between two turns. Without this
 * limit, some hundred connections that send requests without pauses would make new viewers wait for many seconds.
 */
export function scheduleFairly(server: Server, listener: RequestListener): RequestListener {
  const first: Waiting[] = []
  const later: Waiting[] = []
  const waitingSockets = new WeakSet<Socket>()
  let limit = FEWEST_PER_TURN
  let started = 0
  let isScheduled = false
  let turnBeganMs = 0

  /** Halves the limit after a long turn, and raises it by one after a short turn that reached it. */
  function adaptLimit(): void {
    if (performance.now() - turnBeganMs > TURN_MS) limit = Math.max(FEWEST_PER_TURN, limit >> 1)
    else if (started === limit) limit = Math.min(MOST_PER_TURN, limit + 1)
  }
  /** Takes from the two queues alternately. */
  function takeWaiting(): Waiting | undefined {
    return started % 2 === 0 ? (first.shift() ?? later.shift()) : (later.shift() ?? first.shift())
  }
  function nextTurn(): void {
    adaptLimit()
    started = 0
    isScheduled = false
    while (started < limit) {
      const next = takeWaiting()
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
      turnBeganMs = performance.now()
      setImmediate(nextTurn)
    }
    listener(req, res)
  }
  // More connections may wait to be accepted, and each turn accepts only one.
  server.on('connection', () => {
    limit = FEWEST_PER_TURN
  })
  return (req, res) => {
    if (started < limit) return start(req, res)
    // Browsers and proxies send no request before the last answer. A client that does could fill the memory.
    if (waitingSockets.has(req.socket)) return void req.socket.destroy()
    waitingSockets.add(req.socket)
    const queue = req.socket.bytesWritten === 0 || req.url?.startsWith('/health/') ? first : later
    queue.push([req, res])
  }
}
