import type { Request } from 'express'
import type { OpenFeature } from '../../login/feature.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { compileView } from '../../login/screens/views.ts'
import type { AppParts } from '../../login/service.ts'
import { createPasses } from '../../services/pass/passes.ts'
import { stores } from '../../stores.ts'
import type { ScreenLimitSettings } from './fields.ts'
import { createGate } from './gate.ts'
import { createOtherScreen } from './other-screen.ts'
import { watchHereRoutes } from './watch-here.ts'

/** Opens the places of viewers: in the store of sessions or limits, else in memory. */
export async function openScreenLimit(services: AppParts): Promise<OpenFeature<ScreenLimitSettings>> {
  const places = await stores.places(services.stores, services)
  const template = compileView('screen-limit/other-screen')
  return {
    at({ name }, settings) {
      const passesWith = ({ sessions }: Pick<EntryPointDeps, 'sessions'>) =>
        settings.asks ? createPasses(services, 'watch-here', name, sessions) : null
      /** Requests of viewers who chose to watch here. */
      const chosen = new WeakSet<Request>()
      return {
        gate(deps) {
          const sendScreen = createOtherScreen(deps, template)
          return createGate(deps, { places, settings, chosen, passes: passesWith(deps), sendScreen })
        },
        routes: (deps) => watchHereRoutes(deps, { chosen, passes: passesWith(deps) }),
      }
    },
    optionalStores: places.optionalStores,
    close: places.close,
  }
}
