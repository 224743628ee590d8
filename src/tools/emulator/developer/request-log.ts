import type { NextFunction, Request, Response } from 'express'
import { notedBeyond } from '../http/beyond-documents.ts'
import { masked } from './masking.ts'

const MAX_ENTRIES = 500
const MAX_BODY_BYTES = 2_000

/** One request and its response, masked. */
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
  /** Target of a redirect. */
  readonly location: string | null
  readonly answer: string | null
  /** Reason for the response: the `res.locals.explanation` of its room. */
  readonly explanation: string | null
  /** Phrases for what the request uses beyond the documents. `--strict` refuses it. */
  readonly beyond_documents: readonly string[]
  readonly verdict: 'answered' | 'warning' | 'refused' | 'failed'
}

export type RequestLog = ReturnType<typeof openRequestLog>

/** Keeps the last 500 requests in memory, without the emulator's own pages and without heartbeats. */
export function openRequestLog(nowSeconds: () => number) {
  let entries: LoggedRequest[] = []
  let lastId = 0
  return {
    record(req: Request, res: Response, next: NextFunction): unknown {
      if (isOwnPage(req)) return next()
      const startedMs = performance.now()
      const at = new Date(nowSeconds() * 1000).toISOString()
      const responseBody = captureResponse(res)
      // Read before a router changes req.url.
      const path = masked(req.originalUrl)
      res.on('close', () => {
        if (req.path === '/embed/views/heartbeat' && res.statusCode === 204) return
        lastId += 1
        const entry = {
          id: lastId,
          at,
          method: req.method,
          path,
          authorization: req.headers.authorization ? masked(req.headers.authorization) : null,
          body: requestBody(req),
          status: res.statusCode,
          duration_ms: Math.round(performance.now() - startedMs),
          location: typeof res.get('Location') === 'string' ? masked(String(res.get('Location'))) : null,
          answer: responseBody(),
          explanation: typeof res.locals.explanation === 'string' ? res.locals.explanation : null,
          beyond_documents: notedBeyond(res),
        }
        entries = [{ ...entry, verdict: verdictOf(entry) }, ...entries].slice(0, MAX_ENTRIES)
      })
      return next()
    },
    newestFirst: (afterId: number): readonly LoggedRequest[] => entries.filter(({ id }) => id > afterId),
    clear(): void {
      entries = []
    },
  }
}

function isOwnPage({ method, path }: Request): boolean {
  if (/^\/(assets\/|account\/pages\.css|favicon\.ico)/.test(path)) return true
  return method === 'GET' && (path === '/' || path.startsWith('/emulator/'))
}

function verdictOf({
  status,
  explanation,
  beyond_documents: beyond,
}: Pick<LoggedRequest, 'status' | 'explanation' | 'beyond_documents'>): LoggedRequest['verdict'] {
  // An unknown grant type is a client error with status 501.
  if (status >= 500 && status !== 501) return 'failed'
  if (status >= 400 || explanation?.startsWith('Refused')) return 'refused'
  return beyond.length > 0 || explanation?.includes('with a warning') ? 'warning' : 'answered'
}

/** Returns the body that the room read, whether bytes, text or parsed; null if the room read none. */
function requestBody(req: Request): string | null {
  const body: unknown = req.body
  if (body === undefined || body === null || body === '') return null
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : typeof body === 'string' ? body : JSON.stringify(body)
  if (text === '' || text === '{}') return null
  return cut(masked(text))
}

/** Records the beginning of a JSON or XML response while it is sent. Returns a function that reads the record. */
function captureResponse(res: Response): () => string | null {
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: unknown) => {
    if (bytes >= MAX_BODY_BYTES || !/json|xml/.test(String(res.getHeader('Content-Type') ?? ''))) return
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const taken = Buffer.from(chunk).subarray(0, MAX_BODY_BYTES - bytes)
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
  return () => (bytes === 0 ? null : cut(masked(Buffer.concat(chunks).toString('utf8')), bytes >= MAX_BODY_BYTES))
}

function cut(text: string, isAlreadyCut = false): string {
  return text.length > MAX_BODY_BYTES || isAlreadyCut ? `${text.slice(0, MAX_BODY_BYTES)} … (cut here)` : text
}
