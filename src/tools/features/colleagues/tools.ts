import type { ToolFeature } from '../../tool-feature.ts'

export const colleagues: ToolFeature = {
  name: 'colleagues',
  page: async () => (await import('./colleagues-section.ts')).colleaguesPart,
}
