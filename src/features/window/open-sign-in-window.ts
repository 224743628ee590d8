import type { Logger } from 'pino'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { SharedStores } from '../../redis/settings.ts'
import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'
import type { AddressLimit } from '../../sign-in-limits/settings.ts'
import type { FlowStore } from './flows/flow-store.ts'
import { openFlows } from './flows/open-flows.ts'
import { createStartLimits, type StartLimits } from './flows/start-limits.ts'

/** The store and the limits of all sign-ins in a window. */
export interface SignInWindow {
  readonly flows: FlowStore
  readonly startLimits: StartLimits
}

export interface OpenWindowDeps {
  readonly openCounter: OpenCounter
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Opens the store of sign-ins that are under way. Null if no entry point needs a window. */
export async function openSignInWindow(
  config: SharedStores & {
    readonly entryPoints: readonly Pick<EntryPoint, 'sso' | 'hasPasskeys'>[]
    readonly addressLimit: Pick<AddressLimit, 'trustedNetworks'>
  },
  { openCounter, ...deps }: OpenWindowDeps,
): Promise<SignInWindow | null> {
  if (config.entryPoints.every(({ sso, hasPasskeys }) => sso === null && !hasPasskeys)) return null
  return { flows: await openFlows(config, deps), startLimits: createStartLimits(openCounter, config.addressLimit) }
}
