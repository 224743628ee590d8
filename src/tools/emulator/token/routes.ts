import { Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { sendWrongMethod } from '../http/json-error.ts'
import type { AccessDeps } from '../oauth/tokens/access.ts'
import { publicKeySet, SERVICE_KEY_TABLE, type ServiceKeys } from './service-keys.ts'
import { USED_TOKEN_TABLE } from './used-tokens.ts'
import { viewerAuthRoutes } from './viewer-auth-routes.ts'

/** All tables of this folder. */
export const VIEWER_AUTH_TABLES = SERVICE_KEY_TABLE + USED_TOKEN_TABLE

/** Sets and removes viewer auth, and shows the service's public keys to everyone. */
export function serviceRoutes(deps: AccessDeps & { readonly serviceKeys: Pick<ServiceKeys, 'accepted'> }): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(viewerAuthRoutes(deps))
  router
    .route('/viewer-auth-public-key.json')
    .get(async (_req, res) => res.json(publicKeySet(await deps.serviceKeys.accepted())))
    .all(onlyMethods('GET, HEAD', sendWrongMethod))
  return router
}
