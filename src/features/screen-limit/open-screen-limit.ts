import type { Request } from 'express'
import type { OpenFeature, Services } from '../../login/feature.ts'
import { compileView } from '../../login/screens/views.ts'
import { stores } from '../../stores.ts'
import type { ScreenLimitSettings } from './fields.ts'
import { createGate } from './gate.ts'
import { createOtherScreen } from './other-screen.ts'
import { watchHereRoutes } from './watch-here.ts'

/** Opens the places of viewers: in the store of sessions or limits, else in memory. */
export async function openScreenLimit(services: Services): Promise<OpenFeature<ScreenLimitSettings>> {
  const places = await stores.places(services.stores, services)
  const template = compileView('screen-limit/other-screen')
  return {
    at(_entryPoint, settings) {
      /** Requests of viewers who chose to watch here. */
      const chosen = new WeakSet<Request>()
      return {
        gate: (deps) => createGate(deps, { places, settings, chosen, sendScreen: createOtherScreen(deps, template) }),
        routes: (deps) => watchHereRoutes(deps, chosen),
      }
    },
    optionalStores: places.optionalStores,
    close: places.close,
  }
}
