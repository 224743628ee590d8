import type { ToolFeature } from '../../tool-feature.ts'

export const guests: ToolFeature = {
  name: 'guests',
  store: async () => (await import('./store/guests-check.ts')).guestsStore,
  async viewers() {
    const { guestsFiles } = await import('./store-file.ts')
    return { files: guestsFiles }
  },
  backup: async () => (await import('./backup/guests-file.ts')).guestsFile,
}
