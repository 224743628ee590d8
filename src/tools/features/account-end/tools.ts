import type { ToolFeature } from '../../tool-feature.ts'

export const accountEnd: ToolFeature = {
  name: 'account-end',
  additions: { viewers: async () => (await import('./end-commands.ts')).addViewersEndCommands },
  check: async () => ({ causes: (await import('./doctor/causes.json', { with: { type: 'json' } })).default }),
  page: async () => (await import('./manager/forget-daily.ts')).forgetsDaily,
  viewers: async () => (await import('./end-facts.ts')).endFacts,
}
