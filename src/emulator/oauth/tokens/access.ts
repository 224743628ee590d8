import type { DatabaseSync } from 'node:sqlite'
import { isLoopbackHost, isLoopbackName } from '../../../settings/fields.ts'
import { isSignedBy, type MacCredentials, readMacHeader } from './mac-signature.ts'
import { findToken, type KnownToken, type TokenLookup } from './token-store.ts'

/** Every nonce of a MAC token that could still be replayed. */
export const NONCE_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_mac_nonces (
    token_id INTEGER NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE,
    ts INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    PRIMARY KEY (token_id, ts, nonce)
  ) STRICT, WITHOUT ROWID;
`

/** In whose name, and by which client, a request came. */
export interface Access {
  readonly userId: number
  readonly clientId: string
  readonly isClientLevel: boolean
}

export type AccessCheck =
  | { readonly ok: true; readonly access: Access }
  | {
      readonly ok: false
      readonly error: 'unauthorized' | 'invalid_token'
      /** A sentence for the developer; it holds nothing of the token. */
      readonly description: string
    }

export interface AccessDeps {
  readonly database: DatabaseSync
  /** Decides whether a token has expired; `/emulator/clock` shifts it. */
  readonly nowSeconds: () => number
  /** Decides whether a signed request is fresh: no client's clock moves with the emulator's. */
  readonly wallClockSeconds?: () => number
}

/** What of a request decides about its access. */
export interface AccessRequest {
  readonly method: string
  readonly requestUri: string
  readonly authorizationHeader: string | undefined
  readonly hostHeader: string | undefined
  /** The address at which the request arrived. */
  readonly localAddress: string | undefined
  readonly isEncrypted: boolean
}

const BEARER = /^Bearer\s+([\w.~+/-]+=*)$/i
/** How far a client's clock may wander from where its first request showed it to be (the draft, 4.1). */
const FRESH_SECONDS = 300

const SENTENCE: Record<(TokenLookup & { ok: false })['reason'], string> = {
  unknown: 'The access token is not known',
  expired: 'The access token has expired',
  revoked: 'The access token was revoked',
}

/** Whether a request of the REST API may pass, by `Bearer` or by a signature under a MAC token. */
export function checkAccess(deps: AccessDeps, request: AccessRequest): AccessCheck {
  const header = request.authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, error: 'unauthorized', description: 'No access token was sent' }
  const bearer = BEARER.exec(header)?.[1]
  if (bearer !== undefined) return checkBearer(deps, request, bearer)
  const credentials = readMacHeader(header)
  if (credentials !== null) return checkMac(deps, request, credentials)
  return refused('The Authorization header is neither "Bearer" and a token nor a complete "MAC" signature')
}

function checkBearer({ database, nowSeconds }: AccessDeps, request: AccessRequest, accessToken: string): AccessCheck {
  if (!request.isEncrypted && !isLoopbackRequest(request)) {
    return refused('Bearer tokens are accepted over https only, or on loopback addresses')
  }
  const found = findToken(database, accessToken, nowSeconds())
  if (!found.ok) return refused(SENTENCE[found.reason])
  if (found.token.kind === 'mac') return refused('This is a MAC token: requests are signed with it')
  if (found.token.kind === 'jwt') return refused(SENTENCE.unknown)
  return granted(found.token)
}

function checkMac(deps: AccessDeps, request: AccessRequest, credentials: MacCredentials): AccessCheck {
  const found = findToken(deps.database, credentials.id, deps.nowSeconds())
  if (!found.ok) return refused(SENTENCE[found.reason])
  const { token } = found
  if (token.macKey === null) return refused('This token is not for signing: it was issued without token_type=mac')
  const { host, port } = hostAndPort(request)
  const { method, requestUri } = request
  if (!isSignedBy(credentials, { method, requestUri, host, port }, token.macKey)) {
    return refused('The signature does not match the request')
  }
  return isFresh(deps, token, credentials)
    ? granted(token)
    : refused('The signed request is a replay: its nonce was used before, or its ts is not near the present')
}

/**
 * The client's clock may be wrong, but not change: the first request shows how far ahead it is, and those that follow
 * must fit. Within that window no nonce passes twice.
 */
function isFresh(deps: AccessDeps, token: KnownToken, credentials: MacCredentials): boolean {
  const { database, wallClockSeconds = () => Math.floor(Date.now() / 1000) } = deps
  const ts = Number(credentials.ts)
  const offset = ts - wallClockSeconds()
  database
    .prepare('UPDATE oauth_tokens SET clock_offset_seconds = ? WHERE id = ? AND clock_offset_seconds IS NULL')
    .run(offset, token.id)
  if (Math.abs(offset - (token.clockOffsetSeconds ?? offset)) > FRESH_SECONDS) return false
  database.prepare('DELETE FROM oauth_mac_nonces WHERE token_id = ? AND ts < ?').run(token.id, ts - 3 * FRESH_SECONDS)
  const { changes } = database
    .prepare('INSERT OR IGNORE INTO oauth_mac_nonces (token_id, ts, nonce) VALUES (?, ?, ?)')
    .run(token.id, ts, credentials.nonce)
  return changes === 1
}

function granted({ userId, clientId, isClientLevel }: KnownToken): AccessCheck {
  return { ok: true, access: { userId, clientId, isClientLevel } }
}

function refused(description: string): AccessCheck {
  return { ok: false, error: 'invalid_token', description }
}

function isLoopbackRequest(request: AccessRequest): boolean {
  // A server on a dual-stack socket sees IPv4 addresses in their IPv6 form.
  const address = (request.localAddress ?? '').replace(/^::ffff:/i, '')
  return isLoopbackName(hostAndPort(request).host) && isLoopbackHost(address)
}

/** Of the Host header; without a port there, the one of the scheme. */
function hostAndPort({ hostHeader = '', isEncrypted }: AccessRequest): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(hostHeader.toLowerCase()) ?? []
  return { host, port: port === undefined ? (isEncrypted ? 443 : 80) : Number(port) }
}
