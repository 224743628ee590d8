import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { digest, type IssuedToken, issueToken, randomToken, TOKEN_LIFETIME_SECONDS } from './token-store.ts'

export const CODE_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_codes (
    code_hash TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES clients (client_id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    device_name TEXT,
    expires_at_seconds INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- Only of codes with PKCE (RFC 7636).
  CREATE TABLE IF NOT EXISTS oauth_code_challenges (
    code_hash TEXT PRIMARY KEY REFERENCES oauth_codes (code_hash) ON DELETE CASCADE,
    challenge TEXT NOT NULL
  ) STRICT;
  -- Only of codes with a scope.
  CREATE TABLE IF NOT EXISTS oauth_code_scopes (
    code_hash TEXT PRIMARY KEY REFERENCES oauth_codes (code_hash) ON DELETE CASCADE,
    scope TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS oauth_codes_by_expiry ON oauth_codes (expires_at_seconds);
`

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
  // A used code is kept as long as its token can live, so that a replay revokes that token.
  database.prepare('DELETE FROM oauth_codes WHERE expires_at_seconds < ?').run(nowSeconds - TOKEN_LIFETIME_SECONDS)
  const code = randomToken()
  database
    .prepare(
      `INSERT INTO oauth_codes (code_hash, client_id, user_id, redirect_uri, device_name, expires_at_seconds)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(
      digest(code),
      request.clientId,
      request.userId,
      request.redirectUri,
      request.deviceName,
      nowSeconds + CODE_LIFETIME_SECONDS,
    )
  if (request.challenge !== null) {
    database.prepare('INSERT INTO oauth_code_challenges VALUES (?, ?)').run(digest(code), request.challenge)
  }
  if (request.scope !== '') {
    database.prepare('INSERT INTO oauth_code_scopes VALUES (?, ?)').run(digest(code), request.scope)
  }
  return code
}

/**
 * Exchanges a code for a bearer token. Of two parallel requests exactly one succeeds, even in two processes, because
 * one statement decides. A refused request leaves the code valid. The second use of a code revokes the token of the
 * first use, because the code was probably stolen (RFC 6749 4.1.2).
 */
export function redeemCode(
  database: DatabaseSync,
  {
    code,
    clientId,
    redirectUri,
    verifier,
  }: Pick<CodeRequest, 'clientId' | 'redirectUri'> & {
    readonly code: string
    readonly verifier: string | undefined
  },
  nowSeconds: number,
): Redemption {
  const codeHash = digest(code)
  return inTransaction(database, () => {
    const row = database.prepare('SELECT challenge FROM oauth_code_challenges WHERE code_hash = ?').get(codeHash)
    const challenge = row === undefined ? undefined : String(row.challenge)
    if (challenge !== (verifier === undefined ? undefined : challengeOf(verifier))) {
      return { ok: false as const, error: 'invalid_grant', reason: 'code_verifier does not match code_challenge' }
    }
    const used = database
      .prepare(
        `UPDATE oauth_codes SET used = 1
         WHERE code_hash = ? AND client_id = ? AND redirect_uri = ? AND used = 0 AND expires_at_seconds > ?
         RETURNING user_id, device_name,
           COALESCE((SELECT scope FROM oauth_code_scopes WHERE oauth_code_scopes.code_hash = oauth_codes.code_hash), '') AS scope`,
      )
      .get(codeHash, clientId, redirectUri, nowSeconds)
    return used === undefined
      ? refuse(database, codeHash, clientId, nowSeconds)
      : { ok: true as const, token: issueToken(database, grantOf(used, clientId, codeHash), nowSeconds) }
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

function refuse(database: DatabaseSync, codeHash: string, clientId: string, nowSeconds: number): Redemption {
  const row = database
    .prepare('SELECT client_id, used, expires_at_seconds FROM oauth_codes WHERE code_hash = ?')
    .get(codeHash)
  if (row === undefined) return { ok: false, error: 'invalid_grant', reason: 'The code does not exist' }
  if (row.client_id !== clientId) {
    return { ok: false, error: 'invalid_client', reason: 'The code was issued to another client' }
  }
  if (row.used === 1) {
    database
      .prepare('UPDATE oauth_tokens SET revoked_at_seconds = ? WHERE code_hash = ? AND revoked_at_seconds IS NULL')
      .run(nowSeconds, codeHash)
    return { ok: false, error: 'invalid_grant', reason: 'The code was used before, so its token is now revoked' }
  }
  if (Number(row.expires_at_seconds) <= nowSeconds) {
    return { ok: false, error: 'invalid_grant', reason: 'The code has expired' }
  }
  return { ok: false, error: 'invalid_grant', reason: 'redirect_uri differs from the authorization request' }
}
