import type { Response } from 'express'
import { type Answer, page, type Visit } from '../door/route.ts'
import type { RenderedPart } from './parts.ts'

const EVERY_MS = 3_000
const MOST_STREAMS = 50

interface Stream {
  readonly visit: Visit
  /** The last HTML of each part. */
  readonly sent: Map<string, string>
}

/** Streams of server-sent events, renewed together. Each ends with the session of its manager. */
export function createStreams(partsOf: (visit: Visit) => Promise<{ readonly parts: readonly RenderedPart[] }>) {
  const open = new Map<Response, Stream>()
  let timer: NodeJS.Timeout | null = null
  let isBusy = false

  function end(res: Response): void {
    open.delete(res)
    res.end()
    if (open.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
  async function renew(res: Response, stream: Stream): Promise<void> {
    // A slow reader gets no further parts until it has read these.
    if (res.writableNeedDrain) return
    if (!stream.visit.isSignedIn()) {
      res.write('event: end\ndata: {}\n\n')
      return end(res)
    }
    try {
      const { parts } = await partsOf(stream.visit)
      sendChanged(res, stream, parts)
      res.write(': here\n\n')
    } catch {
      // The next try may succeed; the page itself shows faults.
      res.write(': fault\n\n')
    }
  }
  async function renewAll(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (const [res, stream] of open) await renew(res, stream)
    isBusy = false
  }
  function start(visit: Visit, res: Response): void {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    open.set(res, { visit, sent: new Map() })
    timer ??= setInterval(() => void renewAll(), EVERY_MS)
    res.once('close', () => end(res))
  }
  return {
    open: (visit: Visit): Answer => {
      if (open.size >= MOST_STREAMS)
        return page('message', { title: visit.words.t.errors.title, text: visit.words.t.errors.busy }, 503)
      return { kind: 'stream', open: (res) => start(visit, res) }
    },
    close: () => {
      for (const res of open.keys()) res.destroy()
    },
  }
}

/** Sends the parts whose HTML has changed. */
function sendChanged(res: Response, { sent }: Stream, parts: readonly RenderedPart[]): void {
  for (const { id, html } of parts) {
    if (sent.get(id) === html) continue
    sent.set(id, html)
    res.write(`event: part\ndata: ${JSON.stringify({ id, html })}\n\n`)
  }
}
