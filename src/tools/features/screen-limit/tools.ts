import type { ToolFeature } from '../../tool-feature.ts'

export const screenLimit: ToolFeature = {
  name: 'screen-limit',
  check: async () => (await import('./doctor/watch-here.ts')).watchHere,
  drill: async () => (await import('./drill/other-screen.ts')).screenLimitDrill,
}
