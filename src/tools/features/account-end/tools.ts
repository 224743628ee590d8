import type { ToolFeature } from '../../tool-feature.ts'

export const accountEnd: ToolFeature = {
  name: 'account-end',
  additions: { viewers: async () => (await import('./end-commands.ts')).addViewersEndCommands },
  viewers: async () => (await import('./end-facts.ts')).endFacts,
}
