import type { DatabaseSync } from 'node:sqlite'
import type { Request, Response } from 'express'
import { refusesBeyond } from '../../http/beyond-documents.ts'
import { redirect, showMessage, wordsOf } from '../page.ts'
import {
  type AuthorizationReading,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.ts'

/** The authorization request that led to a sign-in, a sign-up or a new password. Null if the user came without one. */
export type CarriedRequest =
  | { readonly ok: true; readonly request: AuthorizationRequest | null }
  /** An error page or redirect was sent. */
  | { readonly ok: false }

/**
 * Checks the carried request again.
 * @param text the `query` of the request; undefined if the user came without one.
 */
export function readCarriedRequest(
  database: DatabaseSync,
  req: Request,
  res: Response,
  text: string | undefined,
): CarriedRequest {
  if (text === undefined) return { ok: true, request: null }
  const reading = readAuthorizationRequest(database, text, (what) => refusesBeyond(res, what))
  if (reading.ok) return reading
  refuseAuthorization(req, res, reading)
  return { ok: false }
}

/** Marks the redirect after a sign-in. A user who arrives with the mark but without a session has cookies blocked. */
const MARK = 'signed_in=1'

/** Returns the path to which the user goes after the sign-in. */
export function nextPath(request: AuthorizationRequest | null): string {
  return request === null ? `/account/clients?${MARK}` : `/authorize?${request.query}&${MARK}`
}

/** True on the redirect that follows a sign-in. */
export function hasJustSignedIn(req: Request): boolean {
  return req.query.signed_in === '1'
}

/** Returns what pages need to name the client and to carry the request on in forms and links. */
export function carriedLocals(request: AuthorizationRequest | null) {
  const query = request?.query ?? ''
  return {
    carried: query,
    carriedLink: query === '' ? '' : `?request=${encodeURIComponent(query)}`,
    clientName: request?.client.name ?? null,
  }
}

/** Redirects with the error, or shows a page if the redirect would not be safe. */
export function refuseAuthorization(
  req: Request,
  res: Response,
  reading: AuthorizationReading & { readonly ok: false },
): void {
  res.locals.explanation = reading.reason
  if (reading.problem === null) {
    redirect(res, reading.location)
    return
  }
  const words = wordsOf(req, reading.lang)
  const text = {
    'unknown-client': words.unknownClient,
    'foreign-address': words.foreignAddress,
    'too-long': words.requestTooLong,
  }[reading.problem]
  showMessage(res, words, { heading: words.refusedHeading, text, detail: reading.reason }, 400)
}
