import type { ToolFeature } from '../../tool-feature.ts'

export const accountEnd: ToolFeature = {
  name: 'account-end',
  additions: { viewers: async () => (await import('./end-commands.ts')).addViewersEndCommands },
  page: async () => (await import('./manager/forget-daily.ts')).forgetsDaily,
  viewers: async () => (await import('./end-facts.ts')).endFacts,
}
