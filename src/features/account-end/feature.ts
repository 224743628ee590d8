import { defineFeature } from '../../login/feature.ts'

/** Ends accounts at the time in their attribute. It has no setting: an end must never be ignored. */
export const accountEnd = defineFeature({
  name: 'account-end',
  async open({ nowSeconds }) {
    const { createGate } = await import('./gate.ts')
    const gate = createGate(nowSeconds)
    return { at: () => ({ gate: () => gate }) }
  },
})
