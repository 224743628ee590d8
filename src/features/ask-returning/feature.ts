import { z } from 'zod'
import { defineFeature } from '../../login/feature.ts'

const ReturningViewers = z.enum(['continue', 'ask'], 'must be continue or ask')

const settings = () => ({
  returningViewers: ReturningViewers.default('continue').meta({
    protects: 'without it, the next person at a device passes as the last viewer',
  }),
})

/** Asks a viewer with a session to continue or to use another account, once in each visit. */
export const askReturning = defineFeature({
  name: 'ask-returning',
  settings,
  read: ({ returningViewers }, { lifetimeSeconds }) => (returningViewers === 'ask' ? { lifetimeSeconds } : null),
  async open({ publicUrl }) {
    const { createGate } = await import('./gate.ts')
    const isTls = publicUrl.protocol === 'https:'
    return { at: (entryPoint, asked) => ({ gate: (deps) => createGate(deps, { ...asked, isTls }, entryPoint.name) }) }
  },
})
