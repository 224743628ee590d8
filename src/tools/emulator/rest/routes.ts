import { Router } from 'express'
import { errorHandler } from '../http/form.ts'
import type { AccessDeps } from '../oauth/tokens/access.ts'
import { sendError } from './answer.ts'
import { channelRoutes } from './channels.ts'
import { clientTokenRoutes } from './client-tokens.ts'
import { channelLockRoutes, videoLockRoutes } from './lock-routes.ts'
import { viewerAuthRoutes } from './viewer-auth-routes.ts'

export interface RestDeps extends AccessDeps {
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: string
}

const PATHS = ['/users', '/channels', '/videos', '/oauth2/clients']

/** Routes of the REST API: channels, viewer authentication, and one resource of the client. */
export function restRoutes(deps: RestDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(channelRoutes(deps))
  router.use(channelLockRoutes(deps))
  router.use(videoLockRoutes(deps))
  router.use(viewerAuthRoutes(deps))
  router.use(clientTokenRoutes(deps))
  router.use(PATHS, (req, res) => {
    sendError(res, 404, 'not_found', `No such path: ${req.baseUrl}${req.path}`)
  })
  router.use(
    PATHS,
    errorHandler((res, status, error) => {
      const description = error instanceof Error ? error.message : 'Cannot read the request'
      if (status !== null) return sendError(res, status, 'invalid_request', description)
      res.set('Retry-After', '1')
      return sendError(res, 503, 'server_error', 'The emulator cannot answer now. Retry later')
    }),
  )
  return router
}
