import type { Request, RequestHandler, Response } from 'express'
import { maskAddress, maskAuthorization, maskDocument, maskForm } from './masking.ts'

const MOST_ENTRIES = 500
const MOST_BODY_BYTES = 2_000

/** What was asked, what was answered, and why; fit to be shown. */
export interface LoggedRequest {
  readonly id: number
  /** By the emulator's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly body: string | null
  readonly status: number
  readonly duration_ms: number
  /** Where a redirect leads. */
  readonly location: string | null
  readonly answer: string | null
  /** Why it was answered so, as the room that answered it says. */
  readonly explanation: string | null
  readonly verdict: 'answered' | 'warning' | 'refused' | 'failed'
}

export interface RequestLog {
  readonly record: RequestHandler
  newestFirst(afterId: number): readonly LoggedRequest[]
  clear(): void
}

/** The last requests, in memory. What only shows the emulator itself, and what is asked every few seconds, is not kept. */
export function openRequestLog(nowSeconds: () => number): RequestLog {
  let entries: LoggedRequest[] = []
  let lastId = 0
  return {
    record(req, res, next) {
      if (isOfNoInterest(req)) return next()
      const startedMs = performance.now()
      const at = new Date(nowSeconds() * 1000).toISOString()
      const answerBody = captureAnswer(res)
      // Taken now: a router changes req.url.
      const path = maskAddress(req.originalUrl)
      res.on('close', () => {
        if (req.path === '/embed/views/heartbeat' && res.statusCode === 204) return
        lastId += 1
        const entry = {
          id: lastId,
          at,
          method: req.method,
          path,
          authorization: req.headers.authorization ? maskAuthorization(req.headers.authorization) : null,
          body: requestBody(req),
          status: res.statusCode,
          duration_ms: Math.round(performance.now() - startedMs),
          location: typeof res.get('Location') === 'string' ? maskAddress(String(res.get('Location'))) : null,
          answer: answerBody(),
          explanation: typeof res.locals.explanation === 'string' ? res.locals.explanation : null,
        }
        entries = [{ ...entry, verdict: verdictOf(entry) }, ...entries].slice(0, MOST_ENTRIES)
      })
      next()
    },
    newestFirst: (afterId) => entries.filter(({ id }) => id > afterId),
    clear() {
      entries = []
    },
  }
}

function isOfNoInterest({ method, path }: Request): boolean {
  if (/^\/(assets\/|account\/pages\.css|favicon\.ico)/.test(path)) return true
  return method === 'GET' && (path === '/' || path.startsWith('/emulator/'))
}

function verdictOf({ status, explanation }: Pick<LoggedRequest, 'status' | 'explanation'>): LoggedRequest['verdict'] {
  // 501 is what an unknown grant type is answered with: no failure of ours.
  if (status >= 500 && status !== 501) return 'failed'
  if (status >= 400 || explanation?.startsWith('Refused')) return 'refused'
  return explanation?.includes('with a warning') ? 'warning' : 'answered'
}

/** As the room read it: bytes, text or what they were parsed to; null where no room read one. */
function requestBody(req: Request): string | null {
  const body: unknown = req.body
  if (body === undefined || body === null || body === '') return null
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : typeof body === 'string' ? body : JSON.stringify(body)
  if (text === '' || text === '{}') return null
  const isForm = req.is('application/x-www-form-urlencoded') !== false && !text.startsWith('{')
  return cut(isForm ? maskForm(text) : maskDocument(text))
}

/** Keeps the beginning of an answer in JSON or XML while it is sent; pages and films are not kept. */
function captureAnswer(res: Response): () => string | null {
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: unknown) => {
    if (bytes >= MOST_BODY_BYTES || !/json|xml/.test(String(res.getHeader('Content-Type') ?? ''))) return
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const taken = Buffer.from(chunk).subarray(0, MOST_BODY_BYTES - bytes)
    chunks.push(taken)
    bytes += taken.length
  }
  const { write, end } = res
  res.write = ((...args: Parameters<typeof write>) => {
    take(args[0])
    return write.apply(res, args)
  }) as typeof write
  res.end = ((...args: Parameters<typeof end>) => {
    take(args[0])
    return end.apply(res, args)
  }) as typeof end
  return () =>
    bytes === 0 ? null : cut(maskDocument(Buffer.concat(chunks).toString('utf8')), bytes >= MOST_BODY_BYTES)
}

function cut(text: string, isCutAlready = false): string {
  return text.length > MOST_BODY_BYTES || isCutAlready ? `${text.slice(0, MOST_BODY_BYTES)} … (cut here)` : text
}
