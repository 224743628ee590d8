import type { MakeDemoFeature } from '../demo-feature.ts'

export const demo: MakeDemoFeature = () => ({
  order: 1,
  ofDefault: () => ({ passkeys: 'on' }),
  hint: () => ({
    title: 'Passkey',
    text: 'On the page of “Start here”, press “Use a passkey” in the player. Then press “Set up a passkey” in the new window.',
  }),
})
