import { createHash, createHmac } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { randomKey } from '../../seed/secrets.ts'

export const TOKEN_LIFETIME_SECONDS = 86_400

export type TokenKind = 'bearer' | 'mac' | 'jwt'

/** User, client and rights of a token. */
export interface Grant {
  readonly kind: TokenKind
  readonly clientId: string
  /** The token reaches the channels and videos of this user. */
  readonly userId: number
  /** True for the client credentials flow. */
  readonly isClientLevel: boolean
  /** Names with spaces between them. */
  readonly scope: string
  readonly deviceName: string | null
  /** Digest of the exchanged code; its second use revokes the token. */
  readonly codeHash?: string
}

export type IssuedToken = ReturnType<typeof issueToken>

/** SHA-256 in hexadecimal, as the database stores tokens. */
export function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Creates a token and stores its digest. The token itself is only in the result. */
export function issueToken(database: DatabaseSync, grant: Grant, nowSeconds: number, accessToken = randomKey()) {
  const macKey = grant.kind === 'mac' ? macKeyOf(database, grant.clientId, accessToken) : undefined
  const refreshToken = grant.codeHash === undefined ? undefined : randomKey()
  database
    .prepare(
      `INSERT INTO oauth_tokens (token_hash, refresh_token_hash, kind, client_id, user_id, client_level, scope,
         device_name, code_hash, created_at_seconds, expires_at_seconds)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      digest(accessToken),
      refreshToken === undefined ? null : digest(refreshToken),
      grant.kind,
      grant.clientId,
      grant.userId,
      grant.isClientLevel ? 1 : 0,
      grant.scope,
      grant.deviceName,
      grant.codeHash ?? null,
      nowSeconds,
      nowSeconds + TOKEN_LIFETIME_SECONDS,
    )
  return {
    kind: grant.kind,
    accessToken,
    expiresInSeconds: TOKEN_LIFETIME_SECONDS,
    createdAtSeconds: nowSeconds,
    macKey,
    refreshToken,
  }
}

/** Finds a valid token by its digest. A reason goes on after "The token". */
export function findToken(database: DatabaseSync, accessToken: string, nowSeconds: number) {
  const row = database
    .prepare(
      `SELECT kind, client_id, user_id, expires_at_seconds, revoked_at_seconds
       FROM oauth_tokens WHERE token_hash = ?`,
    )
    .get(digest(accessToken))
  if (row === undefined) return { ok: false, reason: 'is unknown. Perhaps it was issued before a reset' } as const
  if (row.revoked_at_seconds !== null) return { ok: false, reason: 'was revoked' } as const
  if (Number(row.expires_at_seconds) <= nowSeconds) return { ok: false, reason: 'has expired' } as const
  const macKey = row.kind === 'mac' ? macKeyOf(database, String(row.client_id), accessToken) : null
  return { ok: true, token: { kind: row.kind as TokenKind, userId: Number(row.user_id), macKey } } as const
}

/**
 * Revokes an access token or a refresh token of the client. With a refresh token, its access token ends too. An unknown
 * token changes nothing.
 */
export function revokeToken(database: DatabaseSync, token: string, clientId: string, nowSeconds: number): void {
  database
    .prepare(
      `UPDATE oauth_tokens SET revoked_at_seconds = ?
       WHERE (token_hash = ? OR refresh_token_hash = ?) AND client_id = ? AND revoked_at_seconds IS NULL`,
    )
    .run(nowSeconds, digest(token), digest(token), clientId)
}

/** Derives the MAC key, 40 hexadecimal characters. An HMAC needs the key itself, so a stored digest would not do. */
function macKeyOf(database: DatabaseSync, clientId: string, accessToken: string): string {
  const client = database.prepare('SELECT client_secret FROM clients WHERE client_id = ?').get(clientId)
  return createHmac('sha1', String(client?.client_secret)).update(accessToken).digest('hex')
}
