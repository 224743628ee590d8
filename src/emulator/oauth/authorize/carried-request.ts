import type { DatabaseSync } from 'node:sqlite'
import type { Request, Response } from 'express'
import { redirect, showMessage, wordsOf } from '../page.ts'
import {
  type AuthorizationReading,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.ts'

/** What the user was asked before they had to sign in, sign up or choose a password: it is carried along and checked again. */
export type CarriedRequest =
  | { readonly ok: true; readonly request: AuthorizationRequest | null }
  /** An answer was sent. */
  | { readonly ok: false }

/** @param text the `query` of the request; undefined when the user came by themselves. */
export function readCarriedRequest(
  database: DatabaseSync,
  req: Request,
  res: Response,
  text: string | undefined,
): CarriedRequest {
  if (text === undefined) return { ok: true, request: null }
  const reading = readAuthorizationRequest(database, text)
  if (reading.ok) return reading
  refuseAuthorization(req, res, reading)
  return { ok: false }
}

/** Says that a session was begun just now: without one there, the browser keeps no cookie. */
const MARK = 'signed_in=1'

/** Where a user goes on to once they are signed in. */
export function wayOn(request: AuthorizationRequest | null): string {
  return request === null ? `/account/clients?${MARK}` : `/authorize?${request.query}&${MARK}`
}

/** Whether whoever comes here has just signed in. */
export function hasJustSignedIn(req: Request): boolean {
  return req.query.signed_in === '1'
}

/** What the pages need of the request: to name the client, and to carry it on in forms and links. */
export function carriedLocals(request: AuthorizationRequest | null) {
  const query = request?.query ?? ''
  return {
    carried: query,
    carriedLink: query === '' ? '' : `?request=${encodeURIComponent(query)}`,
    clientName: request?.client.name ?? null,
  }
}

/** Answers a request that cannot be shown: with a page where redirecting would not be safe, else with the redirect. */
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
