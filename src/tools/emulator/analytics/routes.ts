import { parse } from 'node:querystring'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { refusesBeyond } from '../http/beyond-documents.ts'
import type { AnalyticsTokenCheck } from '../oauth/tokens/analytics-token.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { answerReport } from './reports/answer-report.ts'
import { type Endpoint, type ParameterError, readParameters } from './reports/report-parameters.ts'
import type { SeriesDimension, SeriesMetric } from './reports/report-question.ts'

export interface AnalyticsDeps extends ServiceDeps {
  /** Returns the owner whose content the caller may see, or the reason of the refusal for the developer. */
  readonly verifyToken: (authorizationHeader: string | undefined) => AnalyticsTokenCheck
  /** Called with an internal error. The answer to the caller does not show it. */
  readonly onError: (error: unknown) => void
}

const LISTS = [
  ['viewers', '/viewers'],
  ['views', '/views'],
  ['peaks', '/peak-viewer-numbers'],
] as const
const METRICS: readonly SeriesMetric[] = ['total-views', 'unique-devices', 'authenticated-viewers']
const DIMENSIONS: readonly SeriesDimension[] = ['month', 'day', 'hour', 'location', 'device', 'view-source']

/** Routes of the analytics API, mounted at `/v1`. Every answer is JSON. */
export function analyticsRoutes(deps: AnalyticsDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const [kind, path] of LISTS) {
    router.all(`${path}{/:content_type}`, onlyGet, answerWith(deps, { kind }))
  }
  for (const metric of METRICS) {
    const summary = answerWith(deps, { kind: 'series', metric, dimension: 'summary' })
    // Before the route with a dimension, which would match `summary` too.
    router.all(`/${metric}{/:content_type}/summary`, onlyGet, summary)
    router.all(`/${metric}{/:content_type}/:dimension`, onlyGet, answerWith(deps, { kind: 'series', metric }))
  }
  router.use((req, res) => {
    refuse(res, 404, [{ parameter: 'path', in: 'path', message: `Unknown path: ${req.path}` }])
  })
  router.use(answerError(deps.onError))
  return router
}

type EndpointOfRoute =
  | { readonly kind: (typeof LISTS)[number][0] }
  | { readonly kind: 'series'; readonly metric: SeriesMetric; readonly dimension?: SeriesDimension }

/** Adds the parameters of the path to the endpoint of the route. */
function endpointOf(
  route: EndpointOfRoute,
  { content_type, dimension: named }: Request['params'],
): Endpoint | ParameterError {
  if (content_type !== undefined && content_type !== 'live' && content_type !== 'recorded') {
    return unknownInPath('content_type', content_type, 'live or recorded')
  }
  const contentType = content_type ?? null
  if (route.kind !== 'series') return { ...route, contentType }
  const dimension = route.dimension ?? DIMENSIONS.find((known) => known === named)
  return dimension === undefined
    ? unknownInPath('dimension', named, `summary or one of ${DIMENSIONS.join(', ')}`)
    : { ...route, dimension, contentType }
}

function unknownInPath(parameter: string, value: unknown, allowed: string): ParameterError {
  return { parameter, in: 'path', value: String(value).slice(0, 100), message: `${parameter} must be ${allowed}` }
}

const onlyGet: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  res.set('Allow', 'GET, HEAD')
  refuse(res, 405, [{ parameter: 'method', in: 'path', message: `Method ${req.method} is not allowed. Use GET.` }])
}

function answerWith(deps: AnalyticsDeps, route: EndpointOfRoute): RequestHandler {
  return (req, res) => {
    const caller = deps.verifyToken(req.get('authorization'))
    if (!caller.ok) {
      res.set('WWW-Authenticate', 'JWT realm="analytics"')
      return refuse(res, 401, [{ parameter: 'Authorization', in: 'header', message: caller.reason }])
    }
    const endpoint = endpointOf(route, req.params)
    if ('message' in endpoint) return refuse(res, 400, [endpoint])
    // Not req.query: its shape depends on a setting of the app around this router.
    const query = parse(req.originalUrl.split('?').slice(1).join('?'))
    const checked = readParameters(endpoint, query, (what) => refusesBeyond(res, what))
    if (!checked.ok) return refuse(res, 400, checked.errors)
    const { selection, ...question } = checked.question
    const parameters = Object.entries(query).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, value]),
    )
    const body = answerReport(deps.database, {
      ...question,
      selection: { ...selection, ownerId: caller.ownerId },
      nowSeconds: deps.nowSeconds(),
      link: { path: req.baseUrl + req.path, parameters },
    })
    res.set('Cache-Control', 'no-store').type('application/json').send(body)
  }
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
