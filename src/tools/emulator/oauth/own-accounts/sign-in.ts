import { Router } from 'express'
import {
  type AccountDeps,
  addFormRoute,
  hasJustSignedIn,
  nextPath,
  showForm,
  tooManyFailures,
  type Visit,
} from '../account-form.ts'
import { redirect, wordsOf } from '../page.ts'
import { authenticateUser } from './user-authentication.ts'

/** Routes of `/account/sign-in` and `/account/sign-out`. */
export function signInRoutes(deps: AccountDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  addFormRoute(router, '/account/sign-in', deps, { show: showSignIn, post: (visit) => signIn(deps, visit) })
  addFormRoute(router, '/account/sign-out', deps, {
    post({ req, res, request }) {
      deps.sessions.signOut(req)
      redirect(res, request === null ? '/account/sign-in' : `/authorize?${request.query}`)
    },
  })
  return router
}

/** Shows the sign-in form, before the first attempt. */
export function showSignIn(visit: Omit<Visit, 'fields'>): void {
  const { req, request } = visit
  const alert = hasJustSignedIn(req) ? wordsOf(req, request?.lang).noCookie : null
  showForm(visit, 'sign-in', { username: '', alert })
}

async function signIn(deps: AccountDeps, visit: Visit): Promise<void> {
  const { req, res, request, fields } = visit
  const { username = '', password = '' } = fields
  const outcome = await authenticateUser(deps, username, password, req.socket.remoteAddress ?? '')
  if (outcome.ok) {
    deps.sessions.signIn(req, res, outcome.userId)
    return redirect(res, nextPath(request))
  }
  const words = wordsOf(req, request?.lang)
  const explanation = `Not signed in: ${outcome.reason}`
  const refusal =
    outcome.reason === 'wrong-credentials'
      ? { status: 401, alert: words.wrongCredentials, explanation }
      : tooManyFailures(words, outcome.retryAfterSeconds, explanation)
  showForm(visit, 'sign-in', { username }, refusal)
}
