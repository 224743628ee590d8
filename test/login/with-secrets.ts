import { isHashEntryPoint } from '../../src/entry-points/entry-point.ts'
import { createHashAnswer, type HashSecrets } from '../../src/login/answer/hash-answer.ts'
import type { Feature } from '../../src/login/feature.ts'

/** Returns a feature that answers with the secrets of the moment. */
export function withSecrets(secretsNow: () => HashSecrets): Feature {
  return {
    name: 'with-secrets',
    open: async ({ nowSeconds }) => ({
      at: (entryPoint) =>
        isHashEntryPoint(entryPoint) ? { answer: createHashAnswer(entryPoint, nowSeconds, secretsNow) } : {},
    }),
  }
}
