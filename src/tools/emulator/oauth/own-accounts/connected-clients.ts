import type { DatabaseSync } from 'node:sqlite'
import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { formBody } from '../../http/form.ts'
import { hasJustSignedIn } from '../authorize/carried-request.ts'
import { formFields, ownPostsOnly, redirect, showPage, showWrongMethod, wordsOf } from '../page.ts'
import { REFRESH_LIFETIME_SECONDS } from '../tokens/refresh-token.ts'
import type { AccountSessions, User } from './account-session.ts'

interface ConnectedClientsDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  readonly publicUrl: string
  readonly sessions: AccountSessions
}

/** Access of one client on one device, through one or more tokens. */
interface Connection {
  readonly clientId: string
  readonly clientName: string
  readonly deviceName: string
  readonly isOwnServer: boolean
  readonly mayBroadcast: boolean
  readonly grantedAt: Date
  readonly endsAt: Date
}

/** Routes of `/account/clients`, where the user sees connected clients and revokes their access. */
export function connectedClientsRoutes(deps: ConnectedClientsDeps): Router {
  const { sessions, publicUrl } = deps
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/account/clients')
    .get((req, res) => {
      const user = sessions.signedInUser(req)
      if (user === null) return redirect(res, `/account/sign-in${hasJustSignedIn(req) ? '?signed_in=1' : ''}`)
      const words = wordsOf(req, null, user)
      const connections = connectionsOf(deps, user)
      const time = new Intl.DateTimeFormat(words.language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
      const locals = { user, connections, format: (date: Date) => `${time.format(date)} UTC` }
      showPage(res, 'clients', words, { ...locals, hasRevoked: req.query.revoked === '1' })
    })
    .all(onlyMethods('GET, HEAD', showWrongMethod))
  router
    .route('/account/clients/revoke')
    .post(ownPostsOnly(publicUrl), formBody, (req, res) => revoke(deps, req, res))
    .all(onlyMethods('POST', showWrongMethod))
  return router
}

function connectionsOf({ database, nowSeconds }: ConnectedClientsDeps, user: User): readonly Connection[] {
  const rows = database
    .prepare(
      `SELECT client_id, clients.name, COALESCE(device_name, '') AS device, client_level,
         MAX(' ' || scope || ' ' LIKE '% broadcaster %') AS broadcasts, MAX(created_at_seconds) AS granted,
         MAX(CASE WHEN refresh_token_hash IS NULL THEN expires_at_seconds ELSE created_at_seconds + ? END) AS ends
       FROM oauth_tokens JOIN clients USING (client_id)
       WHERE user_id = ? AND revoked_at_seconds IS NULL
       GROUP BY client_id, device, client_level HAVING ends > ? ORDER BY granted DESC, clients.name, device`,
    )
    .all(REFRESH_LIFETIME_SECONDS, user.id, nowSeconds())
  return rows.map((row) => ({
    clientId: String(row.client_id),
    clientName: String(row.name),
    deviceName: String(row.device),
    isOwnServer: row.client_level === 1,
    mayBroadcast: row.broadcasts === 1,
    grantedAt: new Date(Number(row.granted) * 1000),
    endsAt: new Date(Number(row.ends) * 1000),
  }))
}

/** Revokes every token of the client on the device, and deletes its unused codes. */
function revoke({ database, nowSeconds, sessions }: ConnectedClientsDeps, req: Request, res: Response): void {
  const fields = formFields(req, res)
  if (fields === null) return
  const user = sessions.signedInUser(req)
  if (user === null) {
    redirect(res, '/account/sign-in')
    return
  }
  const { client_id: clientId = '', device_name: device = '', own_server: ownServer } = fields
  const isOwnServer = ownServer === '1' ? 1 : 0
  inTransaction(database, () => {
    database
      .prepare(
        `UPDATE oauth_tokens SET revoked_at_seconds = ?
         WHERE user_id = ? AND client_id = ? AND COALESCE(device_name, '') = ? AND client_level = ?
           AND revoked_at_seconds IS NULL`,
      )
      .run(nowSeconds(), user.id, clientId, device, isOwnServer)
    if (isOwnServer === 0) {
      database
        .prepare(
          `DELETE FROM oauth_codes
           WHERE user_id = ? AND client_id = ? AND COALESCE(device_name, '') = ? AND used = 0`,
        )
        .run(user.id, clientId, device)
    }
  })
  redirect(res, '/account/clients?revoked=1')
}
