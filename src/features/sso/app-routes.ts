import { Router } from 'express'
import type { Brand } from '../../brand/brand.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { compileView, type Views } from '../../login/screens/views.ts'
import type { LogSignIn } from '../../login/sign-in-log.ts'
import { RECORD_SECONDS } from '../window/flows/flow-store.ts'
import type { WindowSignIn } from '../window/routes.ts'
import { createWindowCookies } from '../window/window-cookie.ts'
import { type LogoutDeps, logoutRoutes } from './logout/logout-routes.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { callbackRoutes, ssoRoutes } from './routes.ts'
import { sendSsoResult } from './send-result.ts'
import { createWindowPages } from './window-pages.ts'

export interface SsoAppOptions extends Omit<LogoutDeps, 'logSignIn'> {
  readonly publicUrl: URL
  readonly viewsFolder: string
  readonly asset: Views['asset']
}

/** Creates the routes of all entry points with single sign-on, and what they have in common: callback and logout. */
export function createSsoRoutes({ publicUrl, viewsFolder, asset, ...deps }: SsoAppOptions) {
  const { sso, sessionStore, nowSeconds } = deps
  const template = compileView(viewsFolder, 'sso/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', RECORD_SECONDS.state)
  const entryPoints = new Map<string, SsoRouteDeps>()
  const windowsOf = (brand: Brand, label: string, basePath = '') =>
    createWindowPages({ template, asset, brand, label, basePath, publicUrl })
  return {
    /** Returns null for an entry point without single sign-on. */
    ofEntryPoint(entryPointDeps: EntryPointDeps): WindowSignIn | null {
      const { sso: settings, brand, name, basePath } = entryPointDeps.entryPoint
      if (settings === null) return null
      const windows = windowsOf(brand, settings.label, basePath)
      const own = { settings, provider: sso.providerOf(settings), windows }
      const routes = { ...entryPointDeps, ...own, sso, cookies, publicUrl, sessionStore }
      entryPoints.set(name, routes)
      return { flows: sso.flows, routes: ssoRoutes(routes), sendResult: sendSsoResult(routes) }
    },
    /** @param brand and log of requests that belong to no entry point. */
    shared(brand: Brand, logSignIn: LogSignIn): Router {
      const windows = windowsOf(brand, publicUrl.hostname)
      return Router()
        .use(callbackRoutes({ sso, cookies, nowSeconds, entryPoints, windows, logSignIn }))
        .use(logoutRoutes({ ...deps, logSignIn }))
    },
  }
}
