import type { Histogram, Registry } from 'prom-client'
import type { EntryPointOf } from '../../login/feature.ts'
import type { AppParts } from '../../login/service.ts'
import type { SignInWindow } from '../../services/window/service.ts'
import { type IdentityProvider, openIdentityProvider } from './provider/identity-provider.ts'
import { checkLogoutToken } from './provider/logout-token.ts'
import { connectionIdOf, providerIdOf, type SsoSettings } from './settings/sso-settings.ts'

/** Single sign-on of all entry points that have it. */
export type Sso = ReturnType<typeof openSso>

export type SsoParts = AppParts & { readonly signInWindow: SignInWindow }

export const CALLBACK_PATH = '/sso/callback'
/** The highest values cover the wait for a free place, and a provider that hangs. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Opens the providers. */
export function openSso(app: SsoParts, entryPoints: readonly EntryPointOf<SsoSettings>[]) {
  const { publicUrl, log, signInWindow } = app
  const times = createProviderTimes()
  const providers = openProviders(entryPoints, { publicUrl, log, onAnswer: times.observe })
  return {
    ...signInWindow,
    ...providers,
    registerMetrics: (registry: Registry) => void times.register(registry),
    close(): void {
      for (const provider of providers.all) provider.close()
    },
  }
}

interface ProviderDeps extends Pick<AppParts, 'publicUrl' | 'log'> {
  /** Called after each question to a provider, for the metrics. */
  readonly onAnswer: (result: string, seconds: number) => void
}

/** Opens the providers. Entry points with the same settings and credentials share one. */
function openProviders(entryPoints: readonly EntryPointOf<SsoSettings>[], { publicUrl, ...deps }: ProviderDeps) {
  const redirectUri = new URL(CALLBACK_PATH, publicUrl).href
  const hasOthers = new Set(entryPoints.map(({ settings }) => settings.issuer)).size > 1
  const providers = new Map<string, IdentityProvider>()
  function openFor(settings: SsoSettings) {
    // All entry points that accept the same sessions: each may need the groups.
    const same = entryPoints.filter((one) => providerIdOf(one.settings) === providerIdOf(settings))
    const allowedGroups = same.flatMap(({ entryPoint }) => entryPoint.allowedGroups ?? [])
    const needsGroups = same.some((one) => one.settings.needsGroups)
    return openIdentityProvider({ ...settings, needsGroups }, { ...deps, redirectUri, hasOthers, allowedGroups })
  }
  const providerOf = (settings: SsoSettings) => {
    const key = connectionIdOf(settings)
    const provider = providers.get(key) ?? openFor(settings)
    providers.set(key, provider)
    return provider
  }
  for (const { settings } of entryPoints) providerOf(settings)
  const all = [...providers.values()]
  return {
    /** All providers. */
    all,
    /** The callback, which every provider must know. */
    redirectUri,
    providerOf,
    /**
     * Checks a logout token, which any of the providers may have sent.
     * @throws UpstreamError if the keys of the provider cannot be read.
     */
    checkLogoutToken: (token: string, nowSeconds: number) =>
      checkLogoutToken(
        token,
        all.map((provider) => provider.logoutIssuer()),
        nowSeconds,
      ),
  }
}

/** Creates the metric of the times of identity providers. Counts nothing until it is registered. */
function createProviderTimes() {
  let histogram: Histogram<'result'> | null = null
  return {
    /** @param result of a question to an identity provider about a viewer. */
    observe: (result: string, seconds: number) => histogram?.observe({ result }, seconds),
    async register(registry: Registry): Promise<void> {
      const { Histogram } = await import('prom-client')
      histogram = new Histogram({
        name: 'viewer_auth_provider_duration_seconds',
        help: 'Time until an identity provider answered about a viewer, with the wait for a free place, by result',
        labelNames: ['result'],
        buckets: BUCKETS_SECONDS,
        registers: [registry],
      })
    },
  }
}
