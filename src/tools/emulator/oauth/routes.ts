import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import { errorHandler } from '../http/form.ts'
import { authorizeRoutes } from './authorize/authorize-page.ts'
import { createAccountSessions, SESSION_TABLE } from './own-accounts/account-session.ts'
import { connectedClientsRoutes } from './own-accounts/connected-clients.ts'
import { createOutbox } from './own-accounts/outbox.ts'
import { passwordResetRoutes, RESET_TABLE } from './own-accounts/password-reset.ts'
import { signInRoutes } from './own-accounts/sign-in.ts'
import { signUpRoutes } from './own-accounts/sign-up.ts'
import { STYLESHEET_PATH, showMessage, wordsOf } from './page.ts'
import { SIGNING_KEY_TABLE, signingKey } from './signing-key.ts'
import { NONCE_TABLE } from './tokens/access.ts'
import { CODE_TABLE } from './tokens/code-store.ts'
import { tokenRoutes } from './tokens/token-endpoint.ts'
import { TOKEN_TABLE } from './tokens/token-store.ts'

/** The tables of this room. */
export const OAUTH_TABLES = SIGNING_KEY_TABLE + TOKEN_TABLE + NONCE_TABLE + CODE_TABLE + SESSION_TABLE + RESET_TABLE

export interface OauthDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: string
}

const STYLESHEET = fileURLToPath(new URL('public/pages.css', import.meta.url))

/** Routes of the authorization server: `/authorize`, `/oauth2/token`, and the user's pages below `/account`. */
export function oauthRoutes(deps: OauthDeps): Router {
  const { database } = deps
  const outbox = createOutbox(() => Buffer.from(signingKey(database, 'outbox')).toString('base64url'))
  const sessions = createAccountSessions(database, deps.nowSeconds)
  const shared = { ...deps, outbox, sessions }

  const router = Router({ caseSensitive: true, strict: true })
  router.use(tokenRoutes(shared))
  router.get(STYLESHEET_PATH, (_req, res) => res.sendFile(STYLESHEET, { maxAge: 600_000 }))
  router.use(authorizeRoutes(shared))
  router.use(signInRoutes(shared))
  router.use(signUpRoutes(shared))
  router.use(passwordResetRoutes(shared))
  router.use(connectedClientsRoutes(shared))
  router.use(
    ['/authorize', '/account'],
    errorHandler((res, status) => {
      const words = wordsOf(res.req, null)
      if (status !== null) {
        return showMessage(res, words, { heading: words.refusedHeading, text: words.unreadable }, status)
      }
      showMessage(res, words, { heading: words.brokenHeading, text: words.broken }, 503)
    }),
  )
  return router
}
