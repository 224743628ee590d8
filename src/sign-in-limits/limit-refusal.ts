import type { RateLimiterRes } from 'rate-limiter-flexible'

export const DAY_SECONDS = 86_400
/** The length of a period for failures at an address, and for successful sign-ins. */
export const TEN_MINUTES_SECONDS = 600

/** Bounds the waits, since a clock that was set back makes a count appear to last longer. */
const LONGEST_WAIT_SECONDS = {
  'account-and-address': DAY_SECONDS,
  account: DAY_SECONDS,
  address: TEN_MINUTES_SECONDS,
  'right-sign-ins': TEN_MINUTES_SECONDS,
}

export interface LimitRefusal {
  readonly ok: false
  readonly limit: keyof typeof LONGEST_WAIT_SECONDS
  readonly retryAfterSeconds: number
}

/** Returns a refusal until the count expires. */
export function refused(
  limit: LimitRefusal['limit'],
  { msBeforeNext }: RateLimiterRes,
  longestSeconds = LONGEST_WAIT_SECONDS[limit],
): LimitRefusal {
  const seconds = Math.ceil(msBeforeNext / 1000)
  return { ok: false, limit, retryAfterSeconds: Math.min(Math.max(1, seconds), longestSeconds) }
}
