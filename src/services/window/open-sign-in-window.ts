import type { Gauge, Registry } from 'prom-client'
import type { Services } from '../../login/feature.ts'
import type { FlowStore } from './flows/flow-store.ts'
import { openFlows } from './flows/open-flows.ts'
import { createStartLimits, type StartLimits } from './flows/start-limits.ts'

/** The store and the limits of all sign-ins by a window. */
export interface SignInWindow {
  readonly flows: FlowStore
  readonly startLimits: StartLimits
}

export interface OpenWindow extends SignInWindow {
  registerMetrics(registry: Registry): void
  close(): void
}

const opened = new WeakMap<object, Promise<OpenWindow>>()

/** Opens the store of sign-ins that are under way. All features of one app share the store. */
export function openSignInWindow(services: Services): Promise<OpenWindow> {
  const known = opened.get(services) ?? open(services)
  opened.set(services, known)
  return known
}

async function open({ stores, openCounter, addressLimit, nowSeconds, log }: Services): Promise<OpenWindow> {
  const flows = await openFlows(stores, { nowSeconds, log })
  const startLimits = createStartLimits(openCounter, addressLimit)
  let isOpen = true
  let hasMetrics = false
  return {
    flows,
    startLimits,
    registerMetrics(registry) {
      if (hasMetrics) return
      hasMetrics = true
      void registerGauge(registry, startLimits)
    },
    close() {
      if (isOpen) flows.close()
      isOpen = false
    },
  }
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
