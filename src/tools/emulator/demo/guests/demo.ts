import { join } from 'node:path'
import type { MakeDemoFeature } from '../demo-feature.ts'

/** The store of the guests of the demo. */
export const demo: MakeDemoFeature = () => ({
  order: 7,
  programSettings: (folder) => Promise.resolve({ GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}` }),
})
