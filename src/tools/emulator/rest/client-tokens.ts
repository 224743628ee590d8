import { Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import type { AccessDeps } from '../oauth/tokens/access.ts'
import { sendError, sendJson, sendWrongMethod } from './answer.ts'
import { accessOf, tokenRequired } from './guard.ts'

const MAX_TOKENS = 1_000
const RESOURCE = 'a list of the tokens of a client'

/** Routes of `/oauth2/clients/self/tokens.json`, a resource of the client: only client-level tokens reach it. */
export function clientTokenRoutes(deps: AccessDeps): Router {
  const { database, nowSeconds } = deps
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/oauth2/clients/self/tokens.json')
    .get(tokenRequired(deps), (_req, res) => {
      if (refusesBeyond(res, RESOURCE)) return sendError(res, 404, 'not_found', strictRefusal(RESOURCE))
      const { clientId, isClientLevel } = accessOf(res)
      if (!isClientLevel) {
        const description = 'Only a token of the client credentials flow can read this resource'
        return sendError(res, 403, 'insufficient_scope', description)
      }
      const rows = database
        .prepare(
          `SELECT kind, scope, device_name, username, client_level, oauth_tokens.created_at_seconds AS created,
             expires_at_seconds, revoked_at_seconds
           FROM oauth_tokens JOIN users ON users.id = user_id
           WHERE client_id = ? AND expires_at_seconds > ? ORDER BY oauth_tokens.id DESC LIMIT ${MAX_TOKENS}`,
        )
        .all(clientId, nowSeconds())
      const tokens = rows.map((row) => ({
        token_type: row.kind,
        scope: row.scope,
        device_name: row.device_name,
        username: row.username,
        client_level: row.client_level === 1,
        created_at: row.created,
        expires_in: Number(row.expires_at_seconds) - nowSeconds(),
        revoked: row.revoked_at_seconds !== null,
      }))
      return sendJson(res, 200, { tokens })
    })
    .all(onlyMethods('GET, HEAD', sendWrongMethod))
  return router
}
