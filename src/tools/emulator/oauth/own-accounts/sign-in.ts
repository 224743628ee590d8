import type { Router } from 'express'
import { type AccountDeps, addFormRoute, nextPath, showForm, type Visit } from '../account-form.ts'
import { redirect, wordsOf } from '../page.ts'
import { authenticateUser } from './user-authentication.ts'

/** Adds the routes of `/account/sign-in` and `/account/sign-out`. */
export function addSignInRoutes(router: Router, deps: AccountDeps): void {
  addFormRoute(router, '/account/sign-in', deps, { show: showSignIn, post: (visit) => signIn(deps, visit) })
  addFormRoute(router, '/account/sign-out', deps, {
    post({ req, res, request }) {
      deps.sessions.signOut(req)
      redirect(res, request === null ? '/account/sign-in' : `/authorize?${request.query}`)
    },
  })
}

/** Shows the sign-in form, before the first attempt. */
export function showSignIn(visit: Omit<Visit, 'fields'>): void {
  showForm(visit, 'sign-in', { username: '' })
}

async function signIn(deps: AccountDeps, visit: Visit): Promise<void> {
  const { req, res, request, fields } = visit
  const { username = '', password = '' } = fields
  const userId = await authenticateUser(deps.database, username, password)
  if (userId !== null) {
    deps.sessions.signIn(req, res, userId)
    return redirect(res, nextPath(request))
  }
  const alert = wordsOf(req, request?.lang).wrongCredentials
  showForm(visit, 'sign-in', { username }, { status: 401, alert, explanation: 'Not signed in: wrong-credentials' })
}
