import { Router } from 'express'
import type { Brand } from '../../brand/brand.ts'
import type { OpenFeature } from '../../login/feature.ts'
import { logoAsset } from '../../login/screens/assets.ts'
import { unframedHeaders } from '../../login/screens/headers.ts'
import { compileView } from '../../login/screens/views.ts'
import type { AppParts } from '../../login/service.ts'
import { windowRoutes } from '../../services/window/routes.ts'
import { createWindowCookies } from '../../services/window/window-cookie.ts'
import { STATE } from './flow-kinds.ts'
import { isLoggedOut } from './logout/logged-out.ts'
import { logoutRoutes } from './logout/logout-routes.ts'
import type { Sso } from './open-sso.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { callbackRoutes, ssoRoutes } from './routes.ts'
import { ssoScreenPart } from './screen-part.ts'
import { sendSsoResult } from './send-result.ts'
import { acceptsSession, type SsoSettings } from './settings/sso-settings.ts'
import { createWindowPages } from './window-pages.ts'

/** Creates the screens and routes of single sign-on. */
export function createSso(sso: Sso, { publicUrl, nowSeconds, sessionStore }: AppParts): OpenFeature<SsoSettings> {
  const template = compileView('sso/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', STATE.seconds)
  const windowsOf = (brand: Brand, label: string, basePath = '') =>
    createWindowPages({ template, brand, label, basePath, publicUrl })
  const routesOf = new Map<string, SsoRouteDeps>()
  return {
    at: ({ name, basePath }, settings) => ({
      screenPart: ssoScreenPart(settings, publicUrl.host),
      brand: (brand) =>
        settings.icon ? { ...brand, assets: [...(brand.assets ?? []), logoAsset(settings.icon)] } : brand,
      acceptsSession: acceptsSession(settings),
      routes(deps) {
        const windows = windowsOf(deps.entryPoint.brand, settings.label, basePath)
        const provider = sso.providerOf(settings)
        const own = { settings, provider, windows }
        const routeDeps = { ...deps, ...own, sso, cookies, publicUrl, sessionStore }
        routesOf.set(name, routeDeps)
        const away = { status: 503, text: 'sso.unavailable', values: { provider: settings.label } } as const
        const faultNow = () => (provider.isAvailable() ? null : away)
        const sendResult = sendSsoResult(routeDeps)
        const window = { flows: sso.flows, method: 'sso', outcomes: 'sso', faultNow, sendResult }
        return windowRoutes(deps, window, ssoRoutes(routeDeps))
      },
    }),
    sharedRoutes({ brand, logSignIn }) {
      const windows = windowsOf(brand, publicUrl.hostname)
      const headers = unframedHeaders(publicUrl)
      return Router()
        .use(callbackRoutes({ sso, cookies, nowSeconds, entryPoints: routesOf, windows, logSignIn }))
        .use(logoutRoutes({ sso, sessionStore, nowSeconds, headers, logSignIn }))
    },
    async hasEnded({ identity, signedInAtSeconds: startedAtSeconds }) {
      const isOver = identity !== undefined && (await isLoggedOut(sso.flows, { ...identity, startedAtSeconds }))
      // The logout may not have found a session that is new.
      if (isOver) await sessionStore.endIdentitySessions(identity)
      return isOver
    },
    optionalStores: sso.all,
    storesInMetrics: { provider: () => sso.all.every((one) => one.isAvailable()) },
    registerMetrics: sso.registerMetrics,
    close: sso.close,
  }
}
