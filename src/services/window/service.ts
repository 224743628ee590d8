import type { Gauge, Registry } from 'prom-client'
import type { Service } from '../../login/service.ts'
import { stores as sharedStores } from '../../stores.ts'
import type { FlowStore } from './flows/flow-store.ts'
import { createMemoryFlows } from './flows/memory-flows.ts'
import { openSharedFlows } from './flows/shared-flows.ts'
import { createStartLimits, type StartLimits } from './flows/start-limits.ts'

/** The store and the limits of all sign-ins by a window. */
export interface SignInWindow {
  readonly flows: FlowStore
  readonly startLimits: StartLimits
}

/** Sign-ins by a window. All features of one app share the store. */
export const signInWindow: Service<SignInWindow> = {
  name: 'window',
  async open({ stores, openCounter, addressLimit, nowSeconds, log }) {
    // Where the copies of the app share sessions or limits, else in memory.
    const without = 'viewers cannot sign in in a window'
    const records = await sharedStores.records(stores, { nowSeconds, log, without })
    const flows = records === null ? createMemoryFlows(nowSeconds) : openSharedFlows(records)
    const startLimits = createStartLimits(openCounter, addressLimit)
    return {
      handed: { flows, startLimits },
      registerMetrics: (registry) => void registerGauge(registry, startLimits),
      close: flows.close,
    }
  },
}

async function registerGauge(registry: Registry, { countOpen }: StartLimits): Promise<Gauge> {
  const { Gauge } = await import('prom-client')
  return new Gauge({
    name: 'viewer_auth_sign_in_windows',
    help: 'Sign-ins in a window that were begun within ten minutes and have not succeeded',
    registers: [registry],
    async collect() {
      try {
        this.set(await countOpen())
      } catch {
        this.reset()
      }
    },
  })
}
