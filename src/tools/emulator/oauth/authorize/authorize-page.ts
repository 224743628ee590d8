import type { Request, Response, Router } from 'express'
import { refusesBeyond } from '../../http/beyond-documents.ts'
import { formBody, formText } from '../../http/form.ts'
import { type AccountDeps, addFormRoute, pathsOf, refuseAuthorization, type Visit } from '../account-form.ts'
import type { User } from '../own-accounts/account-session.ts'
import { showSignIn } from '../own-accounts/sign-in.ts'
import { formFields, redirect, showPage, showRefusal, wordsOf } from '../page.ts'
import { issueCode } from '../tokens/code-store.ts'
import { issueToken } from '../tokens/token-store.ts'
import {
  type AuthorizationRequest,
  errorLocation,
  readAuthorizationRequest,
  resultLocation,
} from './authorization-request.ts'

/** Adds the routes of `/authorize`: sign-in, then Allow or Deny, then the redirect to the client. */
export function addAuthorizeRoutes(router: Router, deps: AccountDeps): void {
  pathsOf(router)('/authorize', {
    get: (req, res) => show(deps, req, res, req.originalUrl.split('?').slice(1).join('?')),
    // Clients may post from other sites, because this only shows a page.
    post: [
      formBody,
      (req, res) => {
        const text = formText(req)
        return text === null ? void formFields(req, res) : show(deps, req, res, text)
      },
    ],
  })
  addFormRoute(router, '/authorize/decision', deps, { post: (visit) => decide(deps, visit) })
}

function show(deps: AccountDeps, req: Request, res: Response, text: string) {
  const reading = readAuthorizationRequest(deps.database, text, (what) => refusesBeyond(res, what))
  if (!reading.ok) return refuseAuthorization(req, res, reading)
  const user = deps.sessions.signedInUser(req)
  if (user === null) return showSignIn({ req, res, request: reading.request })
  showConsent(req, res, reading.request, user)
}

function showConsent(req: Request, res: Response, request: AuthorizationRequest, user: User): void {
  const { host, protocol } = new URL(request.redirectUri)
  const target = /^https?:$/.test(protocol) ? host : protocol
  showPage(res, 'consent', wordsOf(req, request.lang, user), { request, user, target })
}

/** Accepts Allow or Deny from the user who saw the request. Shows it again to another user. */
function decide(deps: AccountDeps, { req, res, fields, request }: Visit) {
  if (request === null) return showRefusal(req, res, 400, 'unreadable')
  const user = deps.sessions.signedInUser(req)
  if (user === null) return showSignIn({ req, res, request })
  const decision = fields.user === String(user.id) ? fields.decision : undefined
  if (decision === 'deny') return redirect(res, errorLocation(request, 'access_denied'))
  if (decision === 'allow') return redirect(res, grantLocation(deps, request, user))
  showConsent(req, res, request, user)
}

function grantLocation({ database, nowSeconds }: AccountDeps, request: AuthorizationRequest, user: User): string {
  const { redirectUri, deviceName, kind, scope, challenge } = request
  const { clientId } = request.client
  if (request.responseType === 'code') {
    const grant = { clientId, userId: user.id, redirectUri, deviceName, challenge, scope }
    const code = issueCode(database, grant, nowSeconds())
    return resultLocation(request, { code })
  }
  const grant = { kind, clientId, userId: user.id, isClientLevel: false, scope, deviceName }
  const token = issueToken(database, grant, nowSeconds())
  const { macKey } = token
  return resultLocation(request, {
    access_token: token.accessToken,
    expires_in: token.expiresInSeconds,
    ...(macKey && { mac_key: macKey, created_at: token.createdAtSeconds, mac_algorithm: 'hmac-sha-1' }),
    token_type: kind,
  })
}
