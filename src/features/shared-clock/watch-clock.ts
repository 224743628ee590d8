import type { Logger } from 'pino'
import type { Gauge, Registry } from 'prom-client'
import type { OptionalStore } from '../../server/monitoring/readiness.ts'

const EVERY_MS = 60_000
/** Viewers do not notice less. */
const WRONG_FROM_SECONDS = 5

type StoreClock = Pick<OptionalStore, 'setting' | 'nowSeconds'>

export type ClockWatch = ReturnType<typeof watchClock>

interface WatchDeps {
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** Compares the clock of this copy with those of shared stores, and warns if it is wrong: copies of the app share times. */
export function watchClock({ nowSeconds, log }: WatchDeps) {
  const aheadSeconds = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const isWrong = (ahead: number) => Math.abs(ahead) >= WRONG_FROM_SECONDS
  async function compare({ setting, nowSeconds: storeSeconds }: StoreClock): Promise<void> {
    const askedAt = nowSeconds()
    // An outage is logged by those who need the store.
    const there = await storeSeconds?.().catch(() => undefined)
    aheadSeconds.delete(setting)
    if (there === undefined) return
    // The store read its clock at any moment of the question.
    const ahead = Math.max(askedAt - there, 0) - Math.max(there - nowSeconds(), 0)
    aheadSeconds.set(setting, ahead)
    if (!isWrong(ahead)) return
    const difference = `${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'}`
    log.warn(
      { event: 'clock', setting, aheadSeconds: Math.round(ahead) },
      `The clock of this copy is ${difference} that of ${setting}. What opens, ends or is sent at a time is early or late here. Synchronize the clock, for example with NTP.`,
    )
  }
  return {
    /** Compares at once and each minute. Resolves after the first comparison. */
    async watch(stores: readonly StoreClock[]): Promise<void> {
      // Stores that share a setting share a clock.
      const clocks = [...new Map(stores.map((store) => [store.setting, store])).values()]
      const compareAll = () => Promise.all(clocks.map(compare))
      timer = setInterval(compareAll, EVERY_MS).unref()
      await compareAll()
    },
    /** By the settings of the stores that answered last. */
    aheadSeconds: aheadSeconds as ReadonlyMap<string, number>,
    /** Returns the differences from which on the log warns, in whole seconds. */
    wrong(): Readonly<Record<string, number>> {
      const wrong = [...aheadSeconds].filter(([, ahead]) => isWrong(ahead))
      return Object.fromEntries(wrong.map(([setting, ahead]) => [setting, Math.round(ahead)]))
    },
    close: () => clearInterval(timer),
  }
}

/** Registers the differences, which are read when they are asked for. */
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
