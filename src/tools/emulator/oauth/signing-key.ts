import { hkdfSync, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'

export const SIGNING_KEY_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_signing_keys (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
  ) STRICT;
`

/** Each purpose has its own key, so that a text signed for one purpose is not valid for another. */
type Purpose = 'analytics-token' | 'shown-request' | 'outbox' | 'mac-key'

/**
 * Returns the 256-bit key of this database for one purpose, derived from a random secret that is created at first use.
 * Reads the secret at every call: a reset deletes it, which invalidates everything that was signed before.
 */
export function signingKey(database: DatabaseSync, purpose: Purpose): Uint8Array {
  const insert = database.prepare('INSERT OR IGNORE INTO oauth_signing_keys (id, secret) VALUES (1, ?)')
  const select = database.prepare('SELECT secret FROM oauth_signing_keys WHERE id = 1')
  let row = select.get()
  if (row === undefined) {
    insert.run(randomBytes(32))
    row = select.get()
  }
  if (!(row?.secret instanceof Uint8Array)) throw new Error('Cannot store the signing key')
  return new Uint8Array(hkdfSync('sha256', row.secret, '', purpose, 32))
}

/** Signs claims as a JWT. */
export function signClaims(database: DatabaseSync, purpose: Purpose, claims: JWTPayload): Promise<string> {
  const header = { alg: 'HS256', typ: 'JWT' }
  return new SignJWT(claims).setProtectedHeader(header).sign(signingKey(database, purpose))
}

/**
 * Returns the claims of a JWT that `signClaims` made.
 * @throws JOSEError if the signature is wrong, the token has expired, or a claim differs from the options.
 */
export async function verifyClaims(
  database: DatabaseSync,
  purpose: Purpose,
  token: string,
  nowSeconds: number,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const shared = { algorithms: ['HS256'], currentDate: new Date(nowSeconds * 1000) }
  return (await jwtVerify(token, signingKey(database, purpose), { ...shared, ...options })).payload
}
