import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import type { Redemption } from './code-store.ts'
import { digest, issueToken } from './token-store.ts'

export const REFRESH_LIFETIME_SECONDS = 30 * 86_400

/**
 * Exchanges a refresh token for a bearer token and a new refresh token. A refresh token works once, for 30 days, and
 * until the user revokes its access. Of two parallel requests one succeeds.
 */
export function refreshToken(database: DatabaseSync, token: string, clientId: string, nowSeconds: number): Redemption {
  return inTransaction(database, () => {
    const used = database
      .prepare(
        `UPDATE oauth_tokens SET refresh_token_hash = NULL
         WHERE refresh_token_hash = ? AND client_id = ? AND revoked_at_seconds IS NULL AND created_at_seconds > ?
         RETURNING user_id, device_name, code_hash, scope`,
      )
      .get(digest(token), clientId, nowSeconds - REFRESH_LIFETIME_SECONDS)
    if (used === undefined) {
      return { ok: false, error: 'invalid_grant', reason: 'The refresh token is unknown, used, expired or revoked' }
    }
    const grant = {
      ...({ kind: 'bearer', isClientLevel: false, scope: String(used.scope) } as const),
      ...{ clientId, userId: Number(used.user_id), codeHash: String(used.code_hash) },
      deviceName: used.device_name === null ? null : String(used.device_name),
    }
    return { ok: true, token: issueToken(database, grant, nowSeconds) }
  })
}

/**
 * Revokes an access token or a refresh token of the client. With a refresh token, its access token ends too. An unknown
 * token changes nothing.
 * @param token of a JWT, its `jti`.
 */
export function revokeToken(database: DatabaseSync, token: string, clientId: string, nowSeconds: number): void {
  database
    .prepare(
      `UPDATE oauth_tokens SET revoked_at_seconds = ?
       WHERE (token_hash = ? OR refresh_token_hash = ?) AND client_id = ? AND revoked_at_seconds IS NULL`,
    )
    .run(nowSeconds, digest(token), digest(token), clientId)
}
