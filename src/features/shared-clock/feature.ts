import { defineFeature } from '../../login/feature.ts'
import { registerClockGauge, watchClock } from './watch-clock.ts'

/** Warns if the clock of this copy differs from those of the stores that copies share. Does nothing without such a store. */
export const sharedClock = defineFeature({
  name: 'shared-clock',
  open(app) {
    const clock = watchClock(app)
    return Promise.resolve({
      readiness(stores) {
        void clock.watch(stores)
        return () => {
          const clocks = clock.wrong()
          return Object.keys(clocks).length === 0 ? {} : { clocks }
        }
      },
      registerMetrics: (registry) => void registerClockGauge(registry, clock),
      close: clock.close,
    })
  },
})
