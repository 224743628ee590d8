import { createHash } from 'node:crypto'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

export interface FailureLimits {
  /**
   * Counts an attempt as failed before it is made, so that a burst of guesses passes no more than one after the other
   * would.
   */
  admit(kind: AttemptKind, name: string, address: string): Promise<Admission>
}

export type Admission =
  | {
      readonly ok: true
      /** The name starts afresh, and the address is given this attempt back. */
      succeeded(): Promise<void>
    }
  | { readonly ok: false; readonly retryAfterSeconds: number }

export type AttemptKind = 'sign-in' | 'sign-up' | 'reset'

const WINDOW_SECONDS = 300
/**
 * Of one name, and from one address, in five minutes. Whoever develops against the emulator comes from one address and
 * mistypes often; it listens on loopback alone, so guessing is slowed, not made hopeless.
 */
const MOST: Record<AttemptKind, { readonly name: number; readonly address: number }> = {
  'sign-in': { name: 10, address: 200 },
  'sign-up': { name: 20, address: 100 },
  reset: { name: 5, address: 50 },
}

/**
 * Counts in memory.
 * @param generation changes when the emulator goes back to its seed: what was counted before is then forgotten.
 */
export function createFailureLimits(generation: () => string): FailureLimits {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  // Of fixed length, since the name is not; one key for all spellings of a name.
  const keyOf = (...parts: string[]) =>
    createHash('sha256')
      .update(JSON.stringify([generation(), ...parts]))
      .digest('base64url')

  async function giveBack(key: string): Promise<void> {
    const found = await counter.get(key)
    if (found !== null && found.consumedPoints > 0) await counter.reward(key)
  }

  return {
    async admit(kind, name, address) {
      const nameKey = keyOf(kind, 'name', name.normalize('NFKC').toLowerCase().trim())
      const addressKey = keyOf(kind, 'address', address)
      const [ofName, ofAddress] = await Promise.all([counter.penalty(nameKey), counter.penalty(addressKey)])
      if (ofName.consumedPoints > MOST[kind].name) return refused(ofName)
      if (ofAddress.consumedPoints > MOST[kind].address) return refused(ofAddress)
      return {
        ok: true,
        succeeded: async () => void (await Promise.all([counter.delete(nameKey), giveBack(addressKey)])),
      }
    },
  }
}

function refused(counter: RateLimiterRes): Admission {
  return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil(counter.msBeforeNext / 1000)) }
}
