import type { Request, Response, Router } from 'express'
import { refusesBeyond } from '../http/beyond-documents.ts'
import { formBody } from '../http/form.ts'
import { routesOf } from '../http/methods.ts'
import type { ServiceDeps } from '../service-deps.ts'
import {
  type AuthorizationReading,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorize/authorization-request.ts'
import type { AccountSessions } from './own-accounts/account-session.ts'
import { formFields, ownPostsOnly, redirect, showPage, showRefusal, showWrongMethod, wordsOf } from './page.ts'

/** The parts that all pages of the user's account need. */
export interface AccountDeps extends ServiceDeps {
  readonly sessions: AccountSessions
}

/** A request to a form of the account. */
export interface Visit {
  readonly req: Request
  readonly res: Response
  /** The fields of the form, or the parameters of the query. */
  readonly fields: Readonly<Record<string, string>>
  /** The authorization request that led to the form. Null if the user came without one. */
  readonly request: AuthorizationRequest | null
}

type Answer = (visit: Visit) => unknown

/** Returns a function that adds the handlers of a path, by method. */
export const pathsOf = (router: Router) => routesOf(router, showWrongMethod)

/**
 * Adds the route of a form. Only our own pages may post to it. The authorization request that it carries is checked
 * again: if it is wrong, the answer is an error page or a redirect.
 * @param show absent if the form is a part of other pages.
 */
export function addFormRoute(
  router: Router,
  path: string,
  { database, publicUrl }: ServiceDeps,
  { show, post }: { readonly show?: Answer; readonly post: Answer },
): void {
  const answerWith = (answer: Answer) => (req: Request, res: Response) => {
    const fields = req.method === 'POST' ? formFields(req, res) : queryFields(req)
    if (fields === null) return
    if (fields.request === undefined) return answer({ req, res, fields, request: null })
    const reading = readAuthorizationRequest(database, fields.request, (what) => refusesBeyond(res, what))
    return reading.ok ? answer({ req, res, fields, request: reading.request }) : refuseAuthorization(req, res, reading)
  }
  const handlers = { post: [ownPostsOnly(publicUrl), formBody, answerWith(post)] }
  pathsOf(router)(path, show ? { get: answerWith(show), ...handlers } : handlers)
}

/** Leaves out parameters that are empty or repeated. */
function queryFields({ query }: Request): Visit['fields'] {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** The reason that a form is shown again. */
export interface Refusal {
  readonly status: number
  readonly alert: string
  /** For the request log. */
  readonly explanation: string
}

/** Shows a form, which carries the authorization request on. */
export function showForm(
  { req, res, request }: Omit<Visit, 'fields'>,
  page: string,
  locals: Readonly<Record<string, unknown>>,
  refusal: Refusal | null = null,
): void {
  if (refusal !== null) res.locals.explanation = refusal.explanation
  const carried = {
    carried: request?.query ?? '',
    carriedLink: request === null ? '' : `?request=${encodeURIComponent(request.query)}`,
    clientName: request?.client.name ?? null,
    alert: refusal?.alert ?? null,
  }
  showPage(res, page, wordsOf(req, request?.lang), { ...carried, ...locals }, refusal?.status)
}

/** Returns the path to which the user goes after the sign-in. */
export function nextPath(request: AuthorizationRequest | null): string {
  return request === null ? '/account/clients' : `/authorize?${request.query}`
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
  const refusal = reading.problem === 'unknown-client' ? 'unknownClient' : 'foreignAddress'
  showRefusal(req, res, 400, refusal, { detail: reading.reason, lang: reading.lang })
}
