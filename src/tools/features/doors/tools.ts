import { addBareCommand } from '../../cli/terminal/command.ts'
import type { ToolFeature } from '../../tool-feature.ts'

export const doors: ToolFeature = {
  name: 'doors',
  commands: [
    {
      name: 'doors',
      summary: 'show or change when an event opens and closes, and its message',
      declare: addBareCommand,
      load: async () => (await import('./doors-command.ts')).addDoorsCommand,
    },
  ],
  check: async () => (await import('./doctor/doors-check.ts')).doorsCheck,
  scenes: async () => (await import('./preview/doors-preview.ts')).doorsPreview,
  event: async () => (await import('./event-times.ts')).doorTimes,
  drill: async () => (await import('./drill/closed-doors.ts')).doorsDrill,
  variants: { drill: async () => (await import('./drill/evening/evening-option.ts')).eveningDrill },
  page: async () => ({ section: (await import('./manager/doors-section.ts')).doorsSection }),
}
