import type { Gauge, Registry } from 'prom-client'
import type { ClockWatch } from './watch-clock.ts'

export async function registerClockGauge(registry: Registry, clock: Pick<ClockWatch, 'aheadSeconds'>): Promise<Gauge> {
  const { Gauge } = await import('prom-client')
  return new Gauge({
    name: 'viewer_auth_clock_ahead_seconds',
    help: 'Seconds by which the clock of this copy is ahead of that of a shared store',
    labelNames: ['setting'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [setting, seconds] of clock.aheadSeconds) this.set({ setting }, seconds)
    },
  })
}
