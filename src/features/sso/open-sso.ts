import type { Logger } from 'pino'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { OptionalStore } from '../../redis/optional-store.ts'
import type { SignInWindow } from '../window/open-sign-in-window.ts'
import type { IdentityProvider, ProviderOptions } from './provider/identity-provider.ts'
import type { LogoutCheck } from './provider/logout-token.ts'
import { providerIdOf, type SsoSettings } from './settings/sso-settings.ts'

/** Single sign-on of all entry points that have it. */
export interface Sso extends SignInWindow {
  /**
   * Checks a logout token, which any of the providers may have sent.
   * @throws UpstreamError if the keys of the provider cannot be read.
   */
  checkLogoutToken(token: string, nowSeconds: number): Promise<LogoutCheck>
  /** The callback, which every provider must know. */
  readonly redirectUri: string
  providerOf(settings: SsoSettings): IdentityProvider
  /** The providers. While one is away, readiness says "degraded". */
  readonly optionalStores: readonly OptionalStore[]
  close(): void
}

export interface SsoConfig {
  readonly publicUrl: URL
  readonly entryPoints: readonly Pick<EntryPoint, 'sso'>[]
}

export interface OpenSsoDeps {
  readonly signInWindow: SignInWindow
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Called after each question to a provider, for the metrics. */
  readonly onAnswer?: ProviderOptions['onAnswer']
}

export const CALLBACK_PATH = '/sso/callback'

/** Opens the providers. Null if no entry point has single sign-on. */
export async function openSso(
  config: SsoConfig,
  { signInWindow, log, onAnswer = () => {} }: OpenSsoDeps,
): Promise<Sso | null> {
  const settings = config.entryPoints.flatMap(({ sso }) => (sso === null ? [] : [sso]))
  if (settings.length === 0) return null
  const redirectUri = new URL(CALLBACK_PATH, config.publicUrl).href
  const hasOthers = new Set(settings.map(({ issuer }) => issuer)).size > 1
  const providers = new Map<string, IdentityProvider>()
  // Loaded late, because apps without single sign-on do not need its libraries.
  const [{ openIdentityProvider }, { checkLogoutToken }] = await Promise.all([
    import('./provider/identity-provider.ts'),
    import('./provider/logout-token.ts'),
  ])
  // Entry points with the same settings share the provider.
  const providerOf = (one: SsoSettings) => {
    const key = providerIdOf(one)
    const provider = providers.get(key) ?? openIdentityProvider(one, { redirectUri, log, hasOthers, onAnswer })
    providers.set(key, provider)
    return provider
  }
  settings.forEach(providerOf)
  return {
    ...signInWindow,
    redirectUri,
    providerOf,
    checkLogoutToken(token, nowSeconds) {
      const issuers = [...providers.values()].map((provider) => provider.logoutIssuer())
      return checkLogoutToken(token, issuers, nowSeconds)
    },
    optionalStores: [...providers.values()],
    close() {
      for (const provider of providers.values()) provider.close()
    },
  }
}
