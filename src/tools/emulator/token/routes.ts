import { Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { sendWrongMethod } from '../http/json-error.ts'
import { publicKeySet, SERVICE_KEY_TABLE, type ServiceKeys } from './service-keys.ts'
import { USED_TOKEN_TABLE } from './used-tokens.ts'

/** All tables of this folder. */
export const VIEWER_AUTH_TABLES = SERVICE_KEY_TABLE + USED_TOKEN_TABLE

/** The route of the service's public keys, for everyone. */
export function serviceKeyRoutes({ serviceKeys }: { serviceKeys: Pick<ServiceKeys, 'accepted'> }): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/viewer-auth-public-key.json')
    .get(async (_req, res) => res.json(publicKeySet(await serviceKeys.accepted())))
    .all(onlyMethods('GET, HEAD', sendWrongMethod))
  return router
}
