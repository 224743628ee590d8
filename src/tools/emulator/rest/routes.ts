import { Router } from 'express'
import { errorHandler } from '../http/form.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { OpenServiceFeature } from '../service-feature.ts'
import { sendError } from './answer.ts'
import { channelRoutes } from './channels.ts'
import { lockRoutes } from './lock-routes.ts'

export interface RestDeps extends ServiceDeps {
  readonly features: readonly Pick<OpenServiceFeature, 'routes'>[]
}

const PATHS = ['/users', '/channels', '/videos']

/** Routes of the REST API: channels, locks, and those of features. */
export function restRoutes(deps: RestDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(channelRoutes(deps))
  router.use(lockRoutes(deps))
  for (const { routes } of deps.features) router.use(routes)
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
