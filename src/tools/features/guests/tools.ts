import type { ToolFeature } from '../../tool-feature.ts'

export const guests: ToolFeature = {
  name: 'guests',
  store: async () => (await import('./store/guests-check.ts')).guestsStore,
  viewers: async () => ({ files: (await import('./store-file.ts')).guestsFiles }),
  backup: async () => (await import('./backup/guests-file.ts')).guestsFile,
}
