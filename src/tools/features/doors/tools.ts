import { addBareCommand } from '../../cli/command.ts'
import type { ToolFeature } from '../../tool-feature.ts'

export const doors: ToolFeature = {
  name: 'doors',
  commands: [
    {
      name: 'doors',
      summary: 'show or move when an event opens and closes',
      declare: addBareCommand,
      load: async () => (await import('./doors-command.ts')).addDoorsCommand,
    },
  ],
  check: async () => (await import('./doctor/doors-check.ts')).doorsCheck,
  viewers: async () => ({ endOf: (await import('./doors-end.ts')).doorsEnd }),
  drill: async () => (await import('./drill/closed-doors.ts')).doorsDrill,
  variants: { drill: async () => (await import('./drill/evening/evening-option.ts')).eveningDrill },
}
