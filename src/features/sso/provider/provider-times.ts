import type { Histogram, Registry } from 'prom-client'

/** The highest values cover the wait for a free place, and a provider that hangs. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates the metric of the times of identity providers. Counts nothing until it is registered. */
export function createProviderTimes() {
  let histogram: Histogram<'result'> | null = null
  return {
    /** @param result of a question to an identity provider about a viewer. */
    observe: (result: string, seconds: number) => histogram?.observe({ result }, seconds),
    async register(registry: Registry): Promise<void> {
      const { Histogram } = await import('prom-client')
      histogram = new Histogram({
        name: 'viewer_auth_provider_duration_seconds',
        help: 'Time until an identity provider answered about a viewer, with the wait for a free place, by result',
        labelNames: ['result'],
        buckets: BUCKETS_SECONDS,
        registers: [registry],
      })
    },
  }
}
