import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Bounds the time, which grows with the square of the length: 16 characters take 60 ms at most. */
const SCORED_CHARACTERS = 16
/** Below, a million guesses find the password. */
const LEAST_SCORE = 2
/** Loaded when the first password is chosen, never at a sign-in: the lists take 30 MB and a second. */
let scorer: Promise<ZxcvbnFactory> | undefined

/**
 * Returns how attackers guess a password: from a list of common ones, also with other digits and signs (ASVS 6.2.4), or
 * by a pattern. Null if a million guesses do not find it. A longer password is guessable only if its first 16 and its last
 * 16 characters both are.
 */
export async function wayToGuess(password: string): Promise<'common' | 'pattern' | null> {
  scorer ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([core, { dictionary, adjacencyGraphs: graphs }]) =>
      new core.ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: 8 }),
  )
  const factory = await scorer
  const ends = new Set([password.slice(0, SCORED_CHARACTERS), password.slice(-SCORED_CHARACTERS)])
  const results = [...ends].map((end) => factory.check(end))
  if (results.some(({ score }) => score >= LEAST_SCORE)) return null
  return results.some(({ sequence }) => sequence.some(({ pattern }) => pattern === 'dictionary')) ? 'common' : 'pattern'
}
