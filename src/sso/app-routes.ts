import type { Router } from 'express'
import type { Brand } from '../brand/brand.ts'
import type { EntryPointDeps } from '../login/route-deps.ts'
import { compileView, type Views } from '../login/screens/views.ts'
import type { LogSignIn } from '../login/sign-in-log.ts'
import { RECORD_SECONDS } from '../sign-in-window/flows/flow-store.ts'
import type { WindowSignIn } from '../sign-in-window/routes.ts'
import { createWindowCookies } from '../sign-in-window/window-cookie.ts'
import type { Sso } from './open-sso.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { callbackRoutes, ssoRoutes } from './routes.ts'
import { sendSsoResult } from './send-result.ts'
import { createWindowPages } from './window-pages.ts'

export interface SsoAppOptions {
  readonly sso: Sso
  readonly publicUrl: URL
  readonly viewsFolder: string
  readonly asset: Views['asset']
  readonly nowSeconds: () => number
}

/** Creates the routes of all entry points with single sign-on, and their common callback. */
export function createSsoRoutes({ sso, publicUrl, viewsFolder, asset, nowSeconds }: SsoAppOptions) {
  const template = compileView(viewsFolder, 'sso/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', RECORD_SECONDS.state)
  const entryPoints = new Map<string, SsoRouteDeps>()
  const windowsOf = (brand: Brand, label: string, basePath = '') =>
    createWindowPages({ template, asset, brand, label, basePath, publicUrl })
  return {
    /** Returns null for an entry point without single sign-on. */
    ofEntryPoint(deps: EntryPointDeps): WindowSignIn | null {
      const { sso: settings, brand, name, basePath } = deps.entryPoint
      if (settings === null) return null
      const windows = windowsOf(brand, settings.label, basePath)
      const routes = { ...deps, sso, settings, provider: sso.providerOf(settings), windows, cookies, publicUrl }
      entryPoints.set(name, routes)
      return { flows: sso.flows, routes: ssoRoutes(routes), sendResult: sendSsoResult(routes) }
    },
    /** @param brand and log of requests that belong to no entry point. */
    callback: (brand: Brand, logSignIn: LogSignIn): Router =>
      callbackRoutes({
        sso,
        cookies,
        nowSeconds,
        entryPoints,
        windows: windowsOf(brand, publicUrl.hostname),
        logSignIn,
      }),
  }
}
