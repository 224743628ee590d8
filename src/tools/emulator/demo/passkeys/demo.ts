import type { MakeDemoFeature } from '../demo-feature.ts'

export const demo: MakeDemoFeature = () => ({
  order: 1,
  ofDefault: () => ({ passkeys: 'on' }),
  introduction: () => [
    'For a passkey, click "Use a passkey" in the player, and then "Set up a passkey" in the new window.',
  ],
})
