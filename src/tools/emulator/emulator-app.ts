import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { analyticsRoutes } from './analytics/routes.ts'
import { openSegmentRecorder } from './analytics/segments/segment-recorder.ts'
import type { EmulatorDeps } from './developer/emulator-deps.ts'
import { developerRoutes } from './developer/pages.ts'
import { strictness } from './http/beyond-documents.ts'
import { errorHandler } from './http/form.ts'
import { sendJsonError } from './http/json-error.ts'
import { loopbackHostsOnly } from './http/loopback-only.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { verifyAnalyticsToken } from './oauth/tokens/analytics-token.ts'
import { playerRoutes } from './player/routes.ts'
import { SILENT_FOR_SECONDS } from './player/views.ts'
import { sendNotFound } from './player/views-folder.ts'
import { restRoutes } from './rest/routes.ts'

/** Chromium 145 split the first feature into the other two. */
const LOCAL_NETWORK = '; local-network-access; local-network; loopback-network'

/** Creates the app: all middleware and routes of the emulator, in order. */
export function createEmulatorApp(deps: EmulatorDeps): Express {
  const { database, clock, publicUrl, faults, requestLog, features, onError } = deps
  const { nowSeconds } = clock
  const service = { database, nowSeconds, publicUrl }
  const app = express()
  app.locals.delegated = deps.delegatesLocalNetwork ? LOCAL_NETWORK : ''
  app.set('query parser', 'simple')
  app.set('etag', false)
  app.set('view engine', 'ejs')
  app.enable('view cache')
  app.disable('x-powered-by')
  app.use(sendDate(nowSeconds))
  app.use(requestLog.record)
  app.use(strictness(deps.isStrict))
  app.use(loopbackHostsOnly)
  app.use(defaultHeaders)
  app.use(faults.inject)
  app.use(developerRoutes(deps))
  app.use(oauthRoutes(service))
  app.use(restRoutes({ ...service, features }))
  const segments = openSegmentRecorder(database)
  const verifyToken = (header: string | undefined) => verifyAnalyticsToken(service, header)
  app.use('/v1', (_req, _res, next) => {
    // A crashed player cannot end its segment.
    segments.finishAbandoned({ nowSeconds: nowSeconds(), silentForSeconds: SILENT_FOR_SECONDS })
    next()
  })
  app.use('/v1', analyticsRoutes({ ...service, verifyToken, onError }))
  app.use(playerRoutes({ ...service, segments, features }))
  app.use(notFound(publicUrl))
  app.use(describeError(onError))
  return app
}

/**
 * Closed by default. The player sets the policy of its pages. Browsers apply `form-action` to every redirect after a form,
 * and Allow may redirect to any client, so there is none.
 */
const defaultHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: { policy: 'same-origin' },
  strictTransportSecurity: false,
  xFrameOptions: false, // frame-ancestors is the guard
})

/**
 * Sends the emulator's time in `Date`. Clients compare their clock with it, and browsers compute cookie expiry from it.
 */
function sendDate(nowSeconds: () => number): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('Date', new Date(nowSeconds() * 1000).toUTCString())
    next()
  }
}

/** Answers in JSON. Browsers, which prefer HTML, get a page. */
function notFound(publicUrl: string): RequestHandler {
  return (req, res) => {
    const message = `No such path: ${req.path}`
    if (req.accepts(['json', 'html']) === 'html') sendNotFound(res, publicUrl, message)
    else sendJsonError(res, 404, 'not_found', message)
  }
}

/** The body parser and the router throw errors with a 4xx status for bad requests. All other errors are internal. */
function describeError(onError: (error: unknown) => void): ErrorRequestHandler {
  return errorHandler((res, status, error) => {
    if (status === null) onError(error)
    const message = status === null ? 'Internal error in the emulator.' : (error as Error).message
    sendJsonError(res, status ?? 500, status === null ? 'server_error' : 'invalid_request', message)
  })
}
