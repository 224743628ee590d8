import type { Logger } from 'pino'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { OptionalStore } from '../redis/optional-store.ts'
import type { SharedStores } from '../redis/settings.ts'
import type { OpenCounter } from '../sign-in-limits/memory-counters.ts'
import type { FlowStore } from '../sign-in-window/flows/flow-store.ts'
import { openFlows } from '../sign-in-window/flows/open-flows.ts'
import { createStartLimits, type StartLimits } from '../sign-in-window/flows/start-limits.ts'
import type { IdentityProvider } from './provider/identity-provider.ts'
import { providerIdOf, type SsoSettings } from './settings/sso-settings.ts'

/** Single sign-on of all entry points that have it. */
export interface Sso {
  readonly flows: FlowStore
  readonly startLimits: StartLimits
  /** The callback, which every provider must know. */
  readonly redirectUri: string
  providerOf(settings: SsoSettings): IdentityProvider
  /** The providers. While one is away, readiness says "degraded". */
  readonly optionalStores: readonly OptionalStore[]
  close(): void
}

export interface SsoConfig extends SharedStores {
  readonly publicUrl: URL
  readonly entryPoints: readonly Pick<EntryPoint, 'sso'>[]
}

export interface OpenSsoDeps {
  readonly openCounter: OpenCounter
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export const CALLBACK_PATH = '/sso/callback'

/** Opens the providers and the store of sign-ins that are under way. Null if no entry point has single sign-on. */
export async function openSso(config: SsoConfig, { openCounter, nowSeconds, log }: OpenSsoDeps): Promise<Sso | null> {
  const settings = config.entryPoints.flatMap(({ sso }) => (sso === null ? [] : [sso]))
  if (settings.length === 0) return null
  const redirectUri = new URL(CALLBACK_PATH, config.publicUrl).href
  const providers = new Map<string, IdentityProvider>()
  // Loaded late, because apps without single sign-on do not need its libraries.
  const { openIdentityProvider } = await import('./provider/identity-provider.ts')
  const flows = await openFlows(config, { nowSeconds, log })
  // Entry points with the same settings share the provider.
  const providerOf = (one: SsoSettings) => {
    const key = providerIdOf(one)
    const provider = providers.get(key) ?? openIdentityProvider(one, { redirectUri, log })
    providers.set(key, provider)
    return provider
  }
  settings.forEach(providerOf)
  return {
    flows,
    startLimits: createStartLimits(openCounter),
    redirectUri,
    providerOf,
    optionalStores: [...providers.values()],
    close() {
      for (const provider of providers.values()) provider.close()
      flows.close()
    },
  }
}
