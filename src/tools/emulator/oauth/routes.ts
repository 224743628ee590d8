import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import { errorHandler } from '../http/form.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { addAuthorizeRoutes } from './authorize/authorize-page.ts'
import { createAccountSessions } from './own-accounts/account-session.ts'
import { addConnectedClientsRoutes } from './own-accounts/connected-clients.ts'
import { addPasswordResetRoutes } from './own-accounts/password-reset.ts'
import { addSignInRoutes } from './own-accounts/sign-in.ts'
import { addSignUpRoutes } from './own-accounts/sign-up.ts'
import { STYLESHEET_PATH, showRefusal } from './page.ts'
import { tokenRoutes } from './tokens/token-endpoint.ts'

const STYLESHEET = fileURLToPath(new URL('public/pages.css', import.meta.url))

/** Routes of the authorization server: `/authorize`, `/oauth2/token`, and the user's pages below `/account`. */
export function oauthRoutes(deps: ServiceDeps): Router {
  const shared = { ...deps, sessions: createAccountSessions(deps.database, deps.nowSeconds) }
  const router = Router({ caseSensitive: true, strict: true })
  router.use(tokenRoutes(deps))
  router.get(STYLESHEET_PATH, (_req, res) => res.sendFile(STYLESHEET, { maxAge: 600_000 }))
  addAuthorizeRoutes(router, shared)
  addSignInRoutes(router, shared)
  addSignUpRoutes(router, shared)
  addPasswordResetRoutes(router, shared)
  addConnectedClientsRoutes(router, shared)
  router.use(
    ['/authorize', '/account'],
    errorHandler((res, status) => showRefusal(res.req, res, status ?? 503, status === null ? 'broken' : 'unreadable')),
  )
  return router
}
