import { parse } from 'node:querystring'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { refusesBeyond } from '../http/beyond-documents.ts'
import {
  type Endpoint,
  type ParameterError,
  type QueryParameters,
  readParameters,
} from './reports/report-parameters.ts'
import type { SeriesDimension, SeriesMetric } from './reports/report-question.ts'
import type { StreamReport } from './reports/stream-report.ts'
import type { ContentType } from './segments/segment-tables.ts'

export interface AnalyticsDeps {
  readonly streamReport: StreamReport
  readonly nowSeconds: () => number
  /** Returns the owner whose content the caller may see, or the reason of the refusal for the developer. */
  readonly verifyToken: (
    authorizationHeader: string | undefined,
  ) => Promise<{ ok: true; ownerId: number } | { ok: false; reason: string }>
  /** Called with an internal error. The answer to the caller does not show it. */
  readonly onError: (error: unknown) => void
}

const LISTS = [
  ['viewers', '/viewers'],
  ['views', '/views'],
  ['peaks', '/peak-viewer-numbers'],
  ['watched', '/viewer-seconds'],
] as const
const METRICS: readonly SeriesMetric[] = ['total-views', 'unique-devices', 'authenticated-viewers']
/** The last two are beyond the documents. */
const DIMENSIONS: readonly SeriesDimension[] = [
  ...(['month', 'day', 'hour', 'location', 'device', 'view-source'] as const),
  ...(['country', 'region'] as const),
]
/** A connection on which the client reads nothing for so long is closed. */
const STALLED_AFTER_MS = 120_000

/** Routes of the analytics API, mounted at `/v1`. Every answer is JSON. */
export function analyticsRoutes(deps: AnalyticsDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const serve = (path: string, endpointOf: (params: Request['params']) => Endpoint | ParameterError) => {
    router.all(path, onlyGet, answerWith(deps, endpointOf))
  }
  for (const [kind, path] of LISTS) {
    serve(path, () => ({ kind, contentType: null }))
    serve(`${path}/:content_type`, (params) => ofType(params, (contentType) => ({ kind, contentType })))
  }
  for (const metric of METRICS) {
    const summary = { kind: 'series', metric, dimension: 'summary' } as const
    serve(`/${metric}/summary`, () => ({ ...summary, contentType: null }))
    serve(`/${metric}/:dimension`, (params) =>
      inDimension(params, (dimension) => ({ kind: 'series', metric, dimension, contentType: null })),
    )
    serve(`/${metric}/:content_type/summary`, (params) =>
      ofType(params, (contentType) => ({ ...summary, contentType })),
    )
    serve(`/${metric}/:content_type/:dimension`, (params) =>
      ofType(params, (contentType) =>
        inDimension(params, (dimension) => ({ kind: 'series', metric, dimension, contentType })),
      ),
    )
  }
  router.use((req, res) => {
    refuse(res, 404, [{ parameter: 'path', in: 'path', message: `Unknown path: ${req.path}` }])
  })
  router.use(answerError(deps.onError))
  return router
}

type EndpointOrError = Endpoint | ParameterError

function ofType(params: Request['params'], toEndpoint: (contentType: ContentType) => EndpointOrError): EndpointOrError {
  const { content_type } = params
  if (content_type === 'live' || content_type === 'recorded') return toEndpoint(content_type)
  return unknownInPath('content_type', content_type, 'live or recorded')
}

function inDimension(params: Request['params'], toEndpoint: (dimension: SeriesDimension) => Endpoint): EndpointOrError {
  const dimension = DIMENSIONS.find((known) => known === params.dimension)
  return dimension === undefined
    ? unknownInPath('dimension', params.dimension, `summary or one of ${DIMENSIONS.join(', ')}`)
    : toEndpoint(dimension)
}

function unknownInPath(parameter: string, value: unknown, allowed: string): ParameterError {
  return { parameter, in: 'path', value: String(value).slice(0, 100), message: `${parameter} must be ${allowed}` }
}

const onlyGet: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  res.set('Allow', 'GET, HEAD')
  refuse(res, 405, [{ parameter: 'method', in: 'path', message: `Method ${req.method} is not allowed. Use GET.` }])
}

function answerWith(deps: AnalyticsDeps, endpointOf: (params: Request['params']) => EndpointOrError): RequestHandler {
  return async (req, res) => {
    const caller = await deps.verifyToken(req.get('authorization'))
    if (!caller.ok) {
      res.set('WWW-Authenticate', 'JWT realm="analytics"')
      return refuse(res, 401, [{ parameter: 'Authorization', in: 'header', message: caller.reason }])
    }
    const endpoint = endpointOf(req.params)
    if ('message' in endpoint) return refuse(res, 400, [endpoint])
    // Not req.query: its shape depends on a setting of the app around this router.
    const query: QueryParameters = parse(req.originalUrl.split('?').slice(1).join('?'))
    const checked = readParameters(endpoint, query, (what) => refusesBeyond(res, what))
    if (!checked.ok) return refuse(res, 400, checked.errors)
    const { selection, ...question } = checked.question
    const chunks = deps.streamReport({
      ...question,
      selection: { ...selection, ownerId: caller.ownerId },
      nowSeconds: deps.nowSeconds(),
      link: { path: req.baseUrl + req.path, parameters: listParameters(query) },
    })
    await send(req, res, chunks)
  }
}

function listParameters(query: QueryParameters): [string, string][] {
  return Object.entries(query).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  )
}

/** Makes the first chunk before anything is sent, so that a report that fails is still answered with 500. */
async function send(req: Request, res: Response, chunks: AsyncGenerator<Uint8Array, void>): Promise<void> {
  const first = await chunks.next()
  res.status(200).set('Cache-Control', 'no-store').type('application/json')
  if (req.method === 'HEAD') {
    await chunks.return()
    res.end()
    return
  }
  res.setTimeout(STALLED_AFTER_MS, () => res.destroy())
  try {
    await pipeline(Readable.from(withFirst(first, chunks), { objectMode: true, highWaterMark: 1 }), res)
  } catch (error) {
    if (!isClosedByClient(error)) throw error
  }
}

async function* withFirst(first: IteratorResult<Uint8Array, void>, rest: AsyncGenerator<Uint8Array, void>) {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

/** True if the client closed the connection before the end. */
function isClosedByClient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

function refuse(res: Response, status: number, errors: readonly ParameterError[]): void {
  res.locals.explanation = errors.map(({ message }) => message).join('; ')
  res
    .status(status)
    .set('Cache-Control', 'no-store')
    .json({
      // The documents leave the fields open. These two are the form of the service's newer pages.
      errors: errors.map((error) => {
        return { ...error, detail: error.message, source: { pointer: `/${error.in}/${error.parameter}` } }
      }),
    })
}

function answerError(onError: AnalyticsDeps['onError']): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400)) {
      return refuse(res, 400, [{ parameter: 'path', in: 'path', message: `Cannot decode the path: ${req.path}` }])
    }
    if (res.headersSent) return next(error)
    onError(error)
    refuse(res, 500, [{ parameter: 'path', in: 'path', message: 'The report failed' }])
  }
}
