import type { Registry } from 'prom-client'
import type { QueueLoad } from '../../../server/work-queue.ts'

/** The queue of tokens for viewers, and the age of their keys. */
export interface TokenReadings {
  readonly queue: () => QueueLoad
  /** The number of tokens that were refused because too many waited. */
  readonly refused: () => number
  /** Seconds since the oldest keys of the service were fetched. Null before the first success. */
  readonly keysAgeSeconds: () => number | null
}

/** Registers metrics that are read at each scrape. */
export async function registerTokenMetrics(registry: Registry, readings: TokenReadings): Promise<void> {
  const { Counter, Gauge } = await import('prom-client')
  const { queue, refused, keysAgeSeconds } = readings
  const registers = [registry]
  new Gauge({
    name: 'viewer_auth_tokens',
    help: 'Tokens for viewers that are being built, and that wait in the queue',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(queue())) this.set({ state }, count)
    },
  })
  new Counter({
    name: 'viewer_auth_tokens_refused_total',
    help: 'Tokens that were not built, because too many waited',
    registers,
    collect() {
      this.reset()
      this.inc(refused())
    },
  })
  new Gauge({
    name: 'viewer_auth_service_keys_age_seconds',
    help: 'Time since the keys of the video service were fetched. They are fetched each hour, and used for 24 hours',
    registers,
    collect() {
      const age = keysAgeSeconds()
      if (age === null) this.remove()
      else this.set(age)
    },
  })
}
