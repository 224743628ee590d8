import { createHash } from 'node:crypto'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { openMemoryCounter } from '../../../../sign-in-limits/memory-counters.ts'

export type FailureLimits = ReturnType<typeof createFailureLimits>

export type Admission =
  | {
      readonly ok: true
      /** Clears the count of the name, and takes this attempt off the count of the address. */
      succeeded(): Promise<void>
    }
  | { readonly ok: false; readonly retryAfterSeconds: number }

export type AttemptKind = 'sign-in' | 'sign-up' | 'reset'

const WINDOW_SECONDS = 300
/**
 * Failures of one name and from one address in five minutes. High, because a developer uses one address for all tests.
 */
const LIMITS: Record<AttemptKind, { readonly name: number; readonly address: number }> = {
  'sign-in': { name: 10, address: 200 },
  'sign-up': { name: 20, address: 100 },
  reset: { name: 5, address: 50 },
}

/**
 * Counts failures in memory.
 * @param generation changes at a reset, which clears all counts.
 */
export function createFailureLimits(generation: () => string) {
  const counter = openMemoryCounter('emulator', WINDOW_SECONDS)
  // A digest has a fixed length; names do not.
  const keyOf = (...parts: string[]) =>
    createHash('sha256')
      .update(JSON.stringify([generation(), ...parts]))
      .digest('base64url')

  return {
    /** Counts the attempt as failed before it is made, so that parallel guesses do not pass the limit. */
    async admit(kind: AttemptKind, name: string, address: string): Promise<Admission> {
      const nameKey = keyOf(kind, 'name', name.normalize('NFKC').toLowerCase().trim())
      const addressKey = keyOf(kind, 'address', address)
      const [ofName, ofAddress] = await Promise.all([counter.penalty(nameKey), counter.penalty(addressKey)])
      if (ofName.consumedPoints > LIMITS[kind].name) return refused(ofName)
      if (ofAddress.consumedPoints > LIMITS[kind].address) return refused(ofAddress)
      return {
        ok: true,
        succeeded: async () => void (await Promise.all([counter.delete(nameKey), counter.giveBack(addressKey, 1)])),
      }
    },
  }
}

function refused(counter: RateLimiterRes): Admission {
  return { ok: false, retryAfterSeconds: Math.min(Math.max(1, Math.ceil(counter.msBeforeNext / 1000)), WINDOW_SECONDS) }
}
