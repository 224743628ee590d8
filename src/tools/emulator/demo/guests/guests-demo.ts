import { join } from 'node:path'
import type { MakeDemoFeature } from '../demo-feature.ts'

/** The store of the guests of the demo. */
export const guestsDemo: MakeDemoFeature = () => ({
  programSettings: (folder) => Promise.resolve({ GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}` }),
  introduction: () => [],
})
