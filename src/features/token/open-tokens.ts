import type { EntryPointOf, OpenFeature } from '../../login/feature.ts'
import type { AppParts } from '../../login/service.ts'
import type { TokenSettings } from './fields.ts'
import { openTokenIssuers } from './issuer/token-issuers.ts'
import { registerTokenMetrics } from './issuer/token-metrics.ts'
import { createTokenAnswer } from './token-answer.ts'

/** Opens the issuers of all entry points with tokens. */
export async function openTokens(
  services: Pick<AppParts, 'nowSeconds' | 'log'>,
  entryPoints: readonly EntryPointOf<TokenSettings>[],
): Promise<OpenFeature<TokenSettings>> {
  const issuers = await openTokenIssuers(
    entryPoints.map(({ settings }) => settings),
    services,
  )
  return {
    at: (_entryPoint, settings) => ({ answer: createTokenAnswer(settings, issuers.issuerOf(settings)) }),
    optionalStores: issuers.optionalStores,
    storesInMetrics: { 'service-keys': () => issuers.optionalStores.every((store) => store.isAvailable()) },
    registerMetrics: (registry) => void registerTokenMetrics(registry, issuers.readings),
    close: issuers.close,
  }
}
