import type { RateLimiterRes } from 'rate-limiter-flexible'

export const DAY_SECONDS = 86_400
/** The length of a period for failures at an address, and for successful sign-ins. */
export const TEN_MINUTES_SECONDS = 600

export interface LimitRefusal {
  readonly ok: false
  /** Its name in the log. */
  readonly limit: string
  readonly retryAfterSeconds: number
}

/** Returns a refusal until the count expires. */
export function refused(limit: string, count: RateLimiterRes): LimitRefusal {
  return { ok: false, limit, retryAfterSeconds: secondsLeft(count) }
}

/** Returns the seconds until the count expires, one at least. */
export function secondsLeft({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000))
}
