import { Router } from 'express'
import type { Brand } from '../../brand/brand.ts'
import type { EntryPointOf, OpenFeature, Services } from '../../login/feature.ts'
import { unframedHeaders } from '../../login/screens/headers.ts'
import { assetAddress, compileView } from '../../login/screens/views.ts'
import { RECORD_SECONDS } from '../window/flows/flow-store.ts'
import { type OpenWindow, openSignInWindow } from '../window/open-sign-in-window.ts'
import { windowRoutes } from '../window/routes.ts'
import { createWindowCookies } from '../window/window-cookie.ts'
import { logoutRoutes } from './logout/logout-routes.ts'
import { type IdentityProvider, openIdentityProvider } from './provider/identity-provider.ts'
import { checkLogoutToken, type LogoutCheck } from './provider/logout-token.ts'
import { createProviderTimes } from './provider/provider-times.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { callbackRoutes, ssoRoutes } from './routes.ts'
import { ssoScreenPart } from './screen-part.ts'
import { sendSsoResult } from './send-result.ts'
import { acceptedViewers, providerIdOf, type SsoSettings } from './settings/sso-settings.ts'
import { createWindowPages } from './window-pages.ts'

/** Single sign-on of all entry points that have it. */
export interface Sso extends OpenWindow {
  /**
   * Checks a logout token, which any of the providers may have sent.
   * @throws UpstreamError if the keys of the provider cannot be read.
   */
  checkLogoutToken(token: string, nowSeconds: number): Promise<LogoutCheck>
  /** The callback, which every provider must know. */
  readonly redirectUri: string
  providerOf(settings: SsoSettings): IdentityProvider
  /** All providers. */
  readonly all: readonly IdentityProvider[]
}

export const CALLBACK_PATH = '/sso/callback'

/** Opens the providers, and the store of sign-ins that are under way. */
export async function openSso(services: Services, entryPoints: readonly EntryPointOf<SsoSettings>[]): Promise<Sso> {
  const { publicUrl, log } = services
  const signInWindow = await openSignInWindow(services)
  const times = createProviderTimes()
  const providers = openProviders(entryPoints, { publicUrl, log, onAnswer: times.observe })
  return {
    ...signInWindow,
    ...providers,
    registerMetrics(registry) {
      void times.register(registry)
      signInWindow.registerMetrics(registry)
    },
    close() {
      for (const provider of providers.all) provider.close()
      signInWindow.close()
    },
  }
}

/** Creates the screens and routes of single sign-on. */
export function createSso(sso: Sso, { publicUrl, nowSeconds, sessionStore }: Services): OpenFeature<SsoSettings> {
  const template = compileView('sso/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', RECORD_SECONDS.state)
  const windowsOf = (brand: Brand, label: string, basePath = '') =>
    createWindowPages({ template, asset: assetAddress, brand, label, basePath, publicUrl })
  const routesOf = new Map<string, SsoRouteDeps>()
  return {
    at: ({ name, brand, basePath }, settings) => ({
      screenPart: ssoScreenPart(settings, publicUrl.host),
      acceptedViewers: acceptedViewers(settings),
      routes(deps) {
        const windows = windowsOf(brand, settings.label, basePath)
        const own = { settings, provider: sso.providerOf(settings), windows }
        const routeDeps = { ...deps, ...own, sso, cookies, publicUrl, sessionStore }
        routesOf.set(name, routeDeps)
        const window = { flows: sso.flows, method: undefined, outcomes: 'sso', sendResult: sendSsoResult(routeDeps) }
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
    optionalStores: sso.all,
    storesInMetrics: { provider: () => sso.all.every((one) => one.isAvailable()) },
    registerMetrics: sso.registerMetrics,
    close: sso.close,
  }
}

interface ProviderDeps extends Pick<Services, 'publicUrl' | 'log'> {
  /** Called after each question to a provider, for the metrics. */
  readonly onAnswer: (result: string, seconds: number) => void
}

/** Opens the providers. Entry points with the same settings share one. */
function openProviders(
  entryPoints: readonly Pick<EntryPointOf<SsoSettings>, 'settings'>[],
  { publicUrl, ...deps }: ProviderDeps,
) {
  const redirectUri = new URL(CALLBACK_PATH, publicUrl).href
  const hasOthers = new Set(entryPoints.map(({ settings }) => settings.issuer)).size > 1
  const providers = new Map<string, IdentityProvider>()
  const providerOf = (settings: SsoSettings) => {
    const key = providerIdOf(settings)
    const provider = providers.get(key) ?? openIdentityProvider(settings, { ...deps, redirectUri, hasOthers })
    providers.set(key, provider)
    return provider
  }
  for (const { settings } of entryPoints) providerOf(settings)
  const all = [...providers.values()]
  return {
    all,
    redirectUri,
    providerOf,
    checkLogoutToken: (token: string, nowSeconds: number) =>
      checkLogoutToken(
        token,
        all.map((provider) => provider.logoutIssuer()),
        nowSeconds,
      ),
  }
}
