import { type RequestHandler, type Response, Router } from 'express'
import { type RefusesBeyond, refusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'
import { errorHandler, formBody, formText, readParameters } from '../../http/form.ts'
import { routesOf } from '../../http/methods.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { authenticateUser } from '../own-accounts/user-authentication.ts'
import { issueAnalyticsToken } from './analytics-token.ts'
import { authenticateClient, hasSecret } from './client-authentication.ts'
import { redeemCode, refreshToken } from './code-store.ts'
import { readTokenRequest, type TokenError, type TokenRequest, termsOfGrant } from './token-request.ts'
import { type Grant, type IssuedToken, issueToken, revokeToken } from './token-store.ts'

type TokenAnswer =
  | { readonly ok: true; readonly token: IssuedToken }
  | { readonly ok: false; readonly error: TokenError; readonly reason: string }

const RETRY_AFTER_SECONDS = 1

/**
 * Routes of `POST /oauth2/token`, and of `POST /oauth2/token/revoke` (RFC 7009), which the two documents do not have.
 * The first route checks in this order: method (405), type and size of the body (415, 413), repeated parameters,
 * grant_type missing, grant_type unknown (501), required parameters, the client, token_type and scope, and at last the
 * code or the password.
 */
export function tokenRoutes(deps: ServiceDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const add = routesOf(router, (_req, res, description) => refuse(res, 405, 'invalid_request', description))
  const answerToken: RequestHandler = async (req, res) => {
    const text = formText(req)
    if (text === null) return refuse(res, 415, 'invalid_request', 'The body is not a form')
    const form = readParameters(text)
    if (!form.ok) return refuse(res, 400, 'invalid_request', `The request ${form.reason}`)
    const reading = readTokenRequest(form.fields)
    const answer: TokenAnswer = reading.ok
      ? await answerTokenRequest(deps, reading.request, {
          authorizationHeader: req.headers.authorization,
          refusesBeyond: (what) => refusesBeyond(res, what),
        })
      : reading
    // The service names a JWT "bearer" today. The documents have the value "jwt" in the request only.
    const isNamedBearer = answer.ok && answer.token.kind === 'jwt' && res.locals.isStrict !== true
    if (answer.ok) return send(res, 200, describe(answer.token, isNamedBearer ? 'bearer' : answer.token.kind))
    refuse(res, answer.error === 'unsupported_grant_type' ? 501 : 400, answer.error, answer.reason)
  }
  add('/oauth2/token', { post: [formBody, answerToken] })
  add('/oauth2/token/revoke', { post: [formBody, revokeWith(deps)] })
  router.use(
    '/oauth2/token',
    errorHandler((res, status) => {
      if (status !== null) return send(res, status, { error: 'invalid_request' })
      res.set('Retry-After', String(RETRY_AFTER_SECONDS))
      send(res, 503, { error: 'server_error' })
    }),
  )
  return router
}

function revokeWith({ database, nowSeconds }: ServiceDeps): RequestHandler {
  return (req, res) => {
    if (refusesBeyond(res, 'the revocation of tokens')) return refuse(res, 404, 'not_found', 'This emulator is strict')
    const form = readParameters(formText(req) ?? '')
    if (!form.ok) return refuse(res, 400, 'invalid_request', `The request ${form.reason}`)
    const { token, client_id: clientId } = form.fields
    if (token === undefined || clientId === undefined) {
      return refuse(res, 400, 'invalid_request', 'Required parameters are missing: token or client_id')
    }
    const isBeyond = (what: string) => refusesBeyond(res, what)
    const client = authenticateClient(database, clientId, req.headers.authorization, isBeyond)
    if (!client.ok) return refuse(res, 400, 'invalid_client', client.reason)
    revokeToken(database, token, clientId, nowSeconds())
    send(res, 200, {})
  }
}

async function answerTokenRequest(
  deps: ServiceDeps,
  request: TokenRequest,
  caller: { authorizationHeader: string | undefined; refusesBeyond: RefusesBeyond },
): Promise<TokenAnswer> {
  const { client_id: clientId } = request
  if (request.grant_type === 'refresh_token' && caller.refusesBeyond('the grant refresh_token')) {
    return { ok: false, error: 'unsupported_grant_type', reason: strictRefusal('the grant refresh_token') }
  }
  const authentication = authenticateClient(deps.database, clientId, caller.authorizationHeader, caller.refusesBeyond)
  if (!authentication.ok) return { ...authentication, error: 'invalid_client' }
  if (request.grant_type === 'password' && !hasSecret(deps.database, request.client_id, request.client_secret)) {
    return { ok: false, error: 'invalid_client', reason: 'The parameter client_secret is wrong' }
  }
  const terms = termsOfGrant(request, caller.refusesBeyond)
  if (!terms.ok) return terms
  if (request.grant_type === 'refresh_token') {
    return refreshToken(deps.database, request.refresh_token, clientId, deps.nowSeconds())
  }
  if (request.grant_type === 'authorization_code') {
    const { code, redirect_uri: redirectUri, code_verifier: verifier } = request
    return redeemCode(deps.database, { code, clientId, redirectUri, verifier }, deps.nowSeconds())
  }
  const userId =
    request.grant_type === 'password'
      ? await authenticateUser(deps.database, request.username, request.password)
      : authentication.client.ownerId
  if (userId === null) return { ok: false, error: 'invalid_grant', reason: 'Wrong username or password' }
  const grant: Grant = {
    kind: terms.kind,
    clientId: request.client_id,
    userId,
    isClientLevel: request.grant_type === 'client_credentials',
    scope: terms.scope,
    deviceName: request.device_name ?? null,
  }
  const token =
    grant.kind === 'jwt' ? await issueAnalyticsToken(deps, grant) : issueToken(deps.database, grant, deps.nowSeconds())
  return { ok: true, token }
}

/** Returns the documented fields in the documented order. */
function describe(token: IssuedToken, type: string): Record<string, string | number> {
  return {
    access_token: token.accessToken,
    ...(token.refreshToken && { refresh_token: token.refreshToken }),
    expires_in: token.expiresInSeconds,
    token_type: type,
    ...(token.macKey && { mac_key: token.macKey, created_at: token.createdAtSeconds, mac_algorithm: 'hmac-sha-1' }),
  }
}

function refuse(res: Response, status: number, error: string, explanation: string): void {
  res.locals.explanation = explanation
  send(res, status, { error })
}

function send(res: Response, status: number, body: Record<string, string | number>): void {
  res.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
  // Spelled as in the documents; Express would write "utf-8".
  res.setHeader('Content-Type', 'application/json; charset=UTF-8')
  res.end(JSON.stringify(body))
}
