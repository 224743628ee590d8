import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { randomKey } from '../../seed/secrets.ts'
import { digest, type IssuedToken, issueToken } from './token-store.ts'

/** RFC 6749 4.1.2 recommends ten minutes at most. */
const CODE_LIFETIME_SECONDS = 600
export const REFRESH_LIFETIME_SECONDS = 30 * 86_400

export interface CodeRequest {
  readonly clientId: string
  readonly userId: number
  /** Exactly as sent: the token endpoint compares it. */
  readonly redirectUri: string
  readonly deviceName: string | null
  /** The challenge of PKCE in the form S256; null without one. */
  readonly challenge: string | null
  /** Names with spaces between them; empty for none. */
  readonly scope: string
}

export type Redemption =
  | { readonly ok: true; readonly token: IssuedToken }
  | { readonly ok: false; readonly error: 'invalid_grant' | 'invalid_client'; readonly reason: string }

/** Creates a code that is valid for ten minutes, and stores its digest. */
export function issueCode(database: DatabaseSync, request: CodeRequest, nowSeconds: number): string {
  const code = randomKey()
  const { clientId, userId, redirectUri, deviceName, challenge, scope } = request
  const endsAtSeconds = nowSeconds + CODE_LIFETIME_SECONDS
  database
    .prepare('INSERT INTO oauth_authorization_codes VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)')
    .run(digest(code), clientId, userId, redirectUri, deviceName, challenge, scope, endsAtSeconds)
  return code
}

interface SentCode extends Pick<CodeRequest, 'clientId' | 'redirectUri'> {
  readonly code: string
  readonly verifier: string | undefined
}

/**
 * Exchanges a code for a bearer token. Of two parallel requests exactly one succeeds, even in two processes. A refused
 * request leaves the code valid. The second use of a code revokes the token of the first use, because the code was
 * probably stolen (RFC 6749 4.1.2).
 */
export function redeemCode(
  database: DatabaseSync,
  { code, clientId, redirectUri, verifier }: SentCode,
  nowSeconds: number,
): Redemption {
  const codeHash = digest(code)
  const refused = (reason: string, error: 'invalid_grant' | 'invalid_client' = 'invalid_grant'): Redemption => {
    return { ok: false, error, reason }
  }
  return inTransaction(database, () => {
    const row = database.prepare('SELECT * FROM oauth_authorization_codes WHERE code_hash = ?').get(codeHash)
    if (row === undefined) return refused('The code does not exist')
    if (row.client_id !== clientId) return refused('The code was issued to another client', 'invalid_client')
    if (row.challenge !== (verifier === undefined ? null : challengeOf(verifier))) {
      return refused('code_verifier does not match code_challenge')
    }
    if (row.used === 1) {
      database
        .prepare('UPDATE oauth_tokens SET revoked_at_seconds = ? WHERE code_hash = ? AND revoked_at_seconds IS NULL')
        .run(nowSeconds, codeHash)
      return refused('The code was used before, so its token is now revoked')
    }
    if (Number(row.expires_at_seconds) <= nowSeconds) return refused('The code has expired')
    if (row.redirect_uri !== redirectUri) return refused('redirect_uri differs from the authorization request')
    database.prepare('UPDATE oauth_authorization_codes SET used = 1 WHERE code_hash = ?').run(codeHash)
    return { ok: true, token: issueToken(database, grantOf(row, clientId, codeHash), nowSeconds) }
  })
}

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
    const grant = grantOf(used, clientId, String(used.code_hash))
    return { ok: true, token: issueToken(database, grant, nowSeconds) }
  })
}

/** The challenge of a code verifier, method S256 (RFC 7636 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function grantOf(row: Record<string, unknown>, clientId: string, codeHash: string) {
  return {
    kind: 'bearer',
    clientId,
    userId: Number(row.user_id),
    isClientLevel: false,
    scope: String(row.scope),
    deviceName: row.device_name === null ? null : String(row.device_name),
    codeHash,
  } as const
}
