import { type Request, type Response, Router } from 'express'
import { errors } from 'jose'
import { z } from 'zod'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { refusesBeyond } from '../../http/beyond-documents.ts'
import { formBody, formText, queryText } from '../../http/form.ts'
import { type AccountDeps, addFormRoute, refuseAuthorization, type Visit } from '../account-form.ts'
import type { User } from '../own-accounts/account-session.ts'
import { showSignIn } from '../own-accounts/sign-in.ts'
import { formFields, redirect, showMessage, showPage, showWrongMethod, wordsOf } from '../page.ts'
import { signClaims, verifyClaims } from '../signing-key.ts'
import { issueCode } from '../tokens/code-store.ts'
import { issueToken } from '../tokens/token-store.ts'
import {
  type AuthorizationRequest,
  errorLocation,
  readAuthorizationRequest,
  resultLocation,
} from './authorization-request.ts'

/**
 * The request that a page with Allow and Deny shows, with its user and the fingerprint of the session. Signed for a
 * hidden field of the form, so that nothing needs to be stored.
 */
const ShownRequest = z.object({ query: z.string(), userId: z.number(), session: z.string() })
const SHOWN_AUDIENCE = 'shown-request'
const SHOWN_LIFETIME_SECONDS = 600

/** Routes of `/authorize`: sign-in, then Allow or Deny, then the redirect to the client. */
export function authorizeRoutes(deps: AccountDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/authorize')
    .get((req, res) => show(deps, req, res, queryText(req)))
    // Clients may post from other sites, because this only shows a page.
    .post(formBody, (req, res) => {
      const text = formText(req)
      return text === null ? void formFields(req, res) : show(deps, req, res, text)
    })
    .all(onlyMethods('GET, HEAD, POST', showWrongMethod))
  addFormRoute(router, '/authorize/decision', deps, { post: (visit) => decide(deps, visit) })
  return router
}

async function show(deps: AccountDeps, req: Request, res: Response, text: string): Promise<void> {
  const reading = readAuthorizationRequest(deps.database, text, (what) => refusesBeyond(res, what))
  if (!reading.ok) return refuseAuthorization(req, res, reading)
  const user = deps.sessions.signedInUser(req)
  if (user === null) return showSignIn({ req, res, request: reading.request })
  await showConsent(deps, req, res, reading.request, user)
}

async function showConsent(
  { database, nowSeconds, sessions }: AccountDeps,
  req: Request,
  res: Response,
  request: AuthorizationRequest,
  user: User,
): Promise<void> {
  const words = wordsOf(req, request.lang, user)
  const shown = await signClaims(database, 'shown-request', {
    query: request.query,
    userId: user.id,
    session: sessions.fingerprint(req),
    aud: SHOWN_AUDIENCE,
    exp: nowSeconds() + SHOWN_LIFETIME_SECONDS,
  })
  const { host, protocol } = new URL(request.redirectUri)
  const target = /^https?:$/.test(protocol) ? host : protocol
  const { formActionSources } = request
  showPage(res, 'consent', words, { request, user, target, shown }, { formActionSources })
}

/** Returns the shown request; null if the signature is wrong or older than ten minutes. */
async function readShownRequest({ database, nowSeconds }: AccountDeps, sealed: string) {
  try {
    const options = { audience: SHOWN_AUDIENCE, requiredClaims: ['exp'] }
    return ShownRequest.parse(await verifyClaims(database, 'shown-request', sealed, nowSeconds(), options))
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** Accepts Allow or Deny only for the request that was shown, from the same user in the same session. */
async function decide(deps: AccountDeps, { req, res, fields }: Visit): Promise<void> {
  const { database, sessions } = deps
  const shown = await readShownRequest(deps, fields.shown ?? '')
  const user = sessions.signedInUser(req)
  if (shown === null || user?.id !== shown.userId || sessions.fingerprint(req) !== shown.session) {
    return showOutOfDate(req, res, shown?.query ?? null, user)
  }
  const reading = readAuthorizationRequest(database, shown.query, (what) => refusesBeyond(res, what))
  if (!reading.ok) return refuseAuthorization(req, res, reading)
  if (fields.decision === 'deny') return redirect(res, errorLocation(reading.request, 'access_denied'))
  if (fields.decision === 'allow') return redirect(res, grantLocation(deps, reading.request, user))
  return showOutOfDate(req, res, shown.query, user)
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
    ...(macKey === undefined
      ? {}
      : { mac_key: macKey, created_at: token.createdAtSeconds, mac_algorithm: 'hmac-sha-1' }),
    token_type: kind,
  })
}

function showOutOfDate(req: Request, res: Response, query: string | null, user: User | null): void {
  res.locals.explanation = 'The form was not shown in this session, or more than ten minutes ago'
  const words = wordsOf(req, query === null ? null : new URLSearchParams(query).get('lang'), user)
  const link = query === null ? {} : { link: { href: `/authorize?${query}`, text: words.showAgain } }
  showMessage(res, words, { heading: words.outOfDateHeading, text: words.outOfDate, ...link }, 403)
}
