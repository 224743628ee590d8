import type { ToolFeature } from '../../tool-feature.ts'

export const accountEnd: ToolFeature = {
  name: 'account-end',
  additions: { viewers: async () => (await import('./end-commands.ts')).addViewersEndCommands },
  viewers: async () => ({
    stateOf: (await import('./until.ts')).endedState,
    column: (await import('./until-column.ts')).untilColumn,
  }),
}
