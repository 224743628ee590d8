import type { EntryPointDeps } from '../../login/route-deps.ts'
import type { WindowCookies } from '../../services/window/window-cookie.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Sso } from './open-sso.ts'
import type { IdentityProvider } from './provider/identity-provider.ts'
import type { SsoSettings } from './settings/sso-settings.ts'
import type { WindowPages } from './window-pages.ts'

/** The dependencies of the routes of one entry point with single sign-on. */
export interface SsoRouteDeps extends EntryPointDeps {
  readonly sso: Sso
  readonly settings: SsoSettings
  readonly provider: IdentityProvider
  readonly windows: WindowPages
  readonly cookies: WindowCookies
  readonly publicUrl: URL
  readonly sessionStore: Pick<SessionStore, 'endIdentitySessions'>
}
