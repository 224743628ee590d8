import type { DatabaseSync } from 'node:sqlite'
import { isLoopbackHost, isLoopbackName } from '../../../../settings/fields.ts'
import { isSignedBy, type MacCredentials, readMacHeader } from './mac-signature.ts'
import { findToken, type KnownToken, type TokenLookup } from './token-store.ts'

/** Recent nonces of MAC tokens, to detect replays. */
export const NONCE_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_mac_nonces (
    token_id INTEGER NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE,
    ts INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    PRIMARY KEY (token_id, ts, nonce)
  ) STRICT, WITHOUT ROWID;
`

export type AccessCheck =
  | { readonly ok: true; readonly userId: number }
  | {
      readonly ok: false
      readonly error: 'unauthorized' | 'invalid_token'
      /** A sentence for the developer, without any part of the token. */
      readonly description: string
    }

export interface AccessDeps {
  readonly database: DatabaseSync
  /** Time for the expiry of tokens; `/emulator/clock` shifts it. */
  readonly nowSeconds: () => number
  /** Time for the age of signed requests: the clocks of clients do not follow `/emulator/clock`. */
  readonly wallClockSeconds?: () => number
}

/** The parts of a request that access depends on. */
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
/** Allowed change of a client's clock since its first request (draft-ietf-oauth-v2-http-mac-02, 4.1). */
const MAX_CLOCK_DRIFT_SECONDS = 300

const SENTENCE: Record<(TokenLookup & { ok: false })['reason'], string> = {
  unknown: 'The access token is unknown',
  expired: 'The access token has expired',
  revoked: 'The access token was revoked',
}

/** Checks the token of a request to the REST API: `Bearer`, or a signature with a MAC token. */
export function checkAccess(deps: AccessDeps, request: AccessRequest): AccessCheck {
  const header = request.authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, error: 'unauthorized', description: 'No access token was sent' }
  const bearer = BEARER.exec(header)?.[1]
  if (bearer !== undefined) return checkBearer(deps, request, bearer)
  const credentials = readMacHeader(header)
  if (credentials !== null) return checkMac(deps, request, credentials)
  return refused('The Authorization header must be "Bearer" with a token, or "MAC" with a complete signature')
}

function checkBearer({ database, nowSeconds }: AccessDeps, request: AccessRequest, accessToken: string): AccessCheck {
  if (!request.isEncrypted && !isLoopbackRequest(request)) {
    return refused('Bearer tokens need https, or a loopback address')
  }
  const found = findToken(database, accessToken, nowSeconds())
  if (!found.ok) return refused(SENTENCE[found.reason])
  if (found.token.kind === 'mac') return refused('This is a MAC token. Sign requests with it')
  if (found.token.kind === 'jwt') return refused(SENTENCE.unknown)
  return { ok: true, userId: found.token.userId }
}

function checkMac(deps: AccessDeps, request: AccessRequest, credentials: MacCredentials): AccessCheck {
  const found = findToken(deps.database, credentials.id, deps.nowSeconds())
  if (!found.ok) return refused(SENTENCE[found.reason])
  const { token } = found
  if (token.macKey === null) return refused('This token cannot sign requests. Get one with token_type=mac')
  const { host, port } = hostAndPort(request)
  const { method, requestUri } = request
  if (!isSignedBy(credentials, { method, requestUri, host, port }, token.macKey)) {
    return refused('The signature does not match the request')
  }
  return isFresh(deps, token, credentials)
    ? { ok: true, userId: token.userId }
    : refused('The signed request is a replay, or its ts is not the current time')
}

/**
 * True if the nonce is new and the client's clock is where it was. A client's clock may be wrong: its first request
 * shows the offset, and later requests must have the same offset.
 */
function isFresh(deps: AccessDeps, token: KnownToken, credentials: MacCredentials): boolean {
  const { database, wallClockSeconds = () => Math.floor(Date.now() / 1000) } = deps
  const ts = Number(credentials.ts)
  const offset = ts - wallClockSeconds()
  database
    .prepare('UPDATE oauth_tokens SET clock_offset_seconds = ? WHERE id = ? AND clock_offset_seconds IS NULL')
    .run(offset, token.id)
  if (Math.abs(offset - (token.clockOffsetSeconds ?? offset)) > MAX_CLOCK_DRIFT_SECONDS) return false
  database
    .prepare('DELETE FROM oauth_mac_nonces WHERE token_id = ? AND ts < ?')
    .run(token.id, ts - 3 * MAX_CLOCK_DRIFT_SECONDS)
  const { changes } = database
    .prepare('INSERT OR IGNORE INTO oauth_mac_nonces (token_id, ts, nonce) VALUES (?, ?, ?)')
    .run(token.id, ts, credentials.nonce)
  return changes === 1
}

function refused(description: string): AccessCheck {
  return { ok: false, error: 'invalid_token', description }
}

function isLoopbackRequest(request: AccessRequest): boolean {
  // A server on a dual-stack socket sees IPv4 addresses in their IPv6 form.
  const address = (request.localAddress ?? '').replace(/^::ffff:/i, '')
  return isLoopbackName(hostAndPort(request).host) && isLoopbackHost(address)
}

/** Splits the Host header. The default port is the port of the scheme. */
function hostAndPort({ hostHeader = '', isEncrypted }: AccessRequest): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(hostHeader.toLowerCase()) ?? []
  return { host, port: port === undefined ? (isEncrypted ? 443 : 80) : Number(port) }
}
