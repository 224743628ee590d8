import type { DatabaseSync } from 'node:sqlite'
import { type RefusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'

export type Client = NonNullable<ReturnType<typeof findClient>>

export type ClientAuthentication =
  | { readonly ok: true; readonly client: Client }
  /** A sentence for the developer. */
  | { readonly ok: false; readonly reason: string }

const BARE_SECRET = 'a Basic credential with the client secret alone'

/** Returns null if the client_id is unknown. */
export function findClient(database: DatabaseSync, clientId: string) {
  const row = database
    .prepare('SELECT client_id, name, redirect_uri_prefix, owner_id FROM clients WHERE client_id = ?')
    .get(clientId)
  if (row === undefined) return null
  return {
    clientId: String(row.client_id),
    name: String(row.name),
    redirectUriPrefixes: String(row.redirect_uri_prefix).split(' '),
    /** Client-level tokens reach the channels and videos of this user. */
    ownerId: Number(row.owner_id),
  }
}

/**
 * Checks that a request comes from the client of its `client_id`. The documents do not define the Basic credential, so
 * this accepts base64 of "client_id:client_secret" (RFC 6749 2.3.1). It notes the bare secret, in base64 or not, as beyond
 * the documents.
 * @param clientId from the form.
 * @param authorizationHeader as received; undefined if absent.
 */
export function authenticateClient(
  database: DatabaseSync,
  clientId: string,
  authorizationHeader: string | undefined,
  refusesBeyond: RefusesBeyond,
): ClientAuthentication {
  const client = findClient(database, clientId)
  if (client === null) return { ok: false, reason: 'No client has this client_id' }
  const credential = /^Basic +([\w+/=:-]{1,512})$/i.exec(authorizationHeader?.trim() ?? '')?.[1]
  if (credential === undefined) {
    return { ok: false, reason: 'The Authorization header must hold "Basic" and the client credentials' }
  }
  const { id, secret, isBare } = readCredential(credential, clientId)
  if (id !== clientId) return { ok: false, reason: 'The Authorization header names another client than client_id' }
  if (!hasSecret(database, clientId, secret)) return { ok: false, reason: 'The secret is wrong' }
  if (isBare && refusesBeyond(BARE_SECRET)) return { ok: false, reason: strictRefusal(BARE_SECRET) }
  return { ok: true, client }
}

export function hasSecret(database: DatabaseSync, clientId: string, secret: string): boolean {
  return (
    database.prepare('SELECT client_secret FROM clients WHERE client_id = ?').get(clientId)?.client_secret === secret
  )
}

/** A bare secret is hexadecimal, which is also valid base64. A decoded pair has a colon. */
function readCredential(credential: string, clientId: string): { id: string; secret: string; isBare: boolean } {
  const decoded = Buffer.from(credential, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (/^[0-9a-f]{40}$/.test(credential)) return { id: clientId, secret: credential, isBare: true }
  if (colon === -1) return { id: clientId, secret: decoded, isBare: true }
  return { id: decoded.slice(0, colon), secret: decoded.slice(colon + 1), isBare: false }
}
