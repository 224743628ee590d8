import type { MakeDemoFeature } from '../demo-feature.ts'
import { pageUrlOf } from '../entry-points.ts'

export const demo: MakeDemoFeature = () => ({
  order: 12,
  hint(emulator) {
    const page = pageUrlOf(emulator)
    const channel = page.split('/').at(-1)
    const viewer = emulator.seed.viewers[0]?.username
    return {
      title: 'Check of the whole way',
      text: 'Set the lock of the channel, and check that viewers get through.',
      commands: [
        `npm run -s viewer-auth -- lock set --channel ${channel}`,
        `npm run -s viewer-auth -- doctor --channel ${channel} --viewer ${viewer} --page ${page}`,
      ],
    }
  },
})
