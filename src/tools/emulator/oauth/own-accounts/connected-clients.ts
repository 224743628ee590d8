import type { Router } from 'express'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { type AccountDeps, addFormRoute, pathsOf, type Visit } from '../account-form.ts'
import { redirect, showPage, wordsOf } from '../page.ts'
import { REFRESH_LIFETIME_SECONDS } from '../tokens/code-store.ts'
import type { User } from './account-session.ts'

/** Adds the routes of `/account/clients`, where the user sees connected clients and revokes their access. */
export function addConnectedClientsRoutes(router: Router, deps: AccountDeps): void {
  pathsOf(router)('/account/clients', {
    get(req, res) {
      const user = deps.sessions.signedInUser(req)
      if (user === null) return redirect(res, '/account/sign-in')
      const words = wordsOf(req, null, user)
      const connections = connectionsOf(deps, user)
      const time = new Intl.DateTimeFormat(words.language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
      const locals = { user, connections, format: (date: Date) => `${time.format(date)} UTC` }
      showPage(res, 'clients', words, { ...locals, hasRevoked: req.query.revoked === '1' })
    },
  })
  addFormRoute(router, '/account/clients/revoke', deps, { post: (visit) => revoke(deps, visit) })
}

/** Access of each client on each device, through one or more tokens. */
function connectionsOf({ database, nowSeconds }: AccountDeps, user: User) {
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
function revoke({ database, nowSeconds, sessions }: AccountDeps, { req, res, fields }: Visit): void {
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
          `DELETE FROM oauth_authorization_codes
           WHERE user_id = ? AND client_id = ? AND COALESCE(device_name, '') = ? AND used = 0`,
        )
        .run(user.id, clientId, device)
    }
  })
  redirect(res, '/account/clients?revoked=1')
}
