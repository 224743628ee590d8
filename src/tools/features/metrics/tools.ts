import type { ToolFeature } from '../../tool-feature.ts'

export const metrics: ToolFeature = {
  name: 'metrics',
  support: async () => (await import('./support/metrics-now.ts')).metricsNow,
}
