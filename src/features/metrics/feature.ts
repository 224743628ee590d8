import { z } from 'zod'
import { defineFeature } from '../../login/feature.ts'
import { PortNumber } from '../../settings/fields.ts'

const MetricsEnvironment = z.object({ METRICS_PORT: PortNumber.optional() })

/** Returns the port. Undefined without metrics. */
const schema = MetricsEnvironment.extend({ PORT: z.unknown().optional() }).transform(
  ({ METRICS_PORT: port, PORT = 3000 }, context) => {
    if (port !== undefined && port !== 0 && port === Number(PORT)) {
      context.addIssue({ code: 'custom', path: ['METRICS_PORT'], message: `must differ from PORT, which is ${port}` })
    }
    return port
  },
)

/** Metrics for Prometheus, on a port of their own. */
export const metrics = defineFeature({
  name: 'metrics',
  shared: { settings: MetricsEnvironment.shape, schema },
  open: (_services, _entryPoints, port = 0) =>
    Promise.resolve({
      at: () => ({}),
      async watch(app) {
        const { openMetrics } = await import('./open-metrics.ts')
        return await openMetrics(port, app)
      },
    }),
})
