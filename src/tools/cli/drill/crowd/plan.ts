/** A user name and its right password. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface PlanOptions {
  readonly overMs: number
  /** Shares from 0 to 1. */
  readonly wrongShare: number
  readonly returnShare: number
}

/** The rate at the peak of the ramp, as a multiple of the average rate. */
export const PEAK_FACTOR = 2.11
/** One in four viewers who mistype does so twice. */
const ONE_IN_TWICE = 4
const GOLDEN_RATIO = 0.618_033_988_749_895

/**
 * Plans each viewer. Arrivals follow 20·x³·(1 − x), where x is the elapsed share of the ramp: few at the beginning, half
 * of all in the last third, the peak at three quarters, where the event starts, and late viewers after it.
 */
export function planVisits(
  viewers: readonly Credentials[],
  { overMs, wrongShare, returnShare }: PlanOptions,
  random: () => number = Math.random,
) {
  const count = viewers.length
  let mistyping = 0
  return viewers.map((viewer, index) => {
    const isMistyping = Math.floor((index + 1) * wrongShare + 1e-9) > Math.floor(index * wrongShare + 1e-9)
    mistyping += isMistyping ? 1 : 0
    // The golden ratio spreads the returns evenly, also over the viewers who mistype.
    const isReturning = (index * GOLDEN_RATIO) % 1 < returnShare
    return {
      viewer,
      arrivesAtMs: overMs * shareAt((index + random()) / count),
      /** Those that the viewer types before the right one. */
      wrongPasswords: isMistyping ? (mistyping % ONE_IN_TWICE === 0 ? 2 : 1) : 0,
      /** The time from the sign-in to the return with the session cookie. Null without a return. */
      returnsAfterMs: isReturning ? overMs * (0.05 + 0.25 * random()) : null,
    }
  })
}

/** Returns the elapsed share of the ramp at which this share of the viewers has arrived: the inverse of 5x⁴ − 4x⁵. */
function shareAt(arrived: number): number {
  let low = 0
  let high = 1
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2
    if (5 * middle ** 4 - 4 * middle ** 5 < arrived) low = middle
    else high = middle
  }
  return low
}
