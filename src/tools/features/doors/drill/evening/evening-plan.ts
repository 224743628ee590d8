import type { Credentials } from '../../../../cli/drill/crowd/plan.ts'

/** The times of an evening, in milliseconds since its start. Doors have whole seconds. */
export type EveningTimes = ReturnType<typeof eveningTimes>

/** The plan of one viewer. Times are in milliseconds since the start. */
export type PlannedEvening = ReturnType<typeof planEvening>[number]

/** Shares of the whole evening. */
const MOVES = 0.15
const FIRST_OPENING = 0.4
const OPENS = 0.5
const CLOSES = 0.9
const EARLY_VIEWERS = 0.75
/** The last of the early viewers comes before the opening, also in a short evening. */
const EARLY_UNTIL = 0.45
const LATE_UNTIL = 0.7
/** The rate at which the early viewers come, as a multiple of the average rate. */
export const EARLY_FACTOR = EARLY_VIEWERS / EARLY_UNTIL
const RETURNS_FROM = 0.03
const RETURNS_OVER = 0.12
/** Two of so many viewers have more screens than the limit. They do not come back for another reason. */
const TWO_IN = 10
/** One in so many viewers leaves before the end. */
const LEAVES_EARLY_OF = 4
/** One in so many tries to get in after the end. */
const ONE_IN = 10
const GOLDEN_RATIO = 0.618_033_988_749_895

/** Returns the times of an evening. @param overMs from the first viewer to the last: at least 10 s. */
export function eveningTimes(overMs: number) {
  const wholeSecondAt = (share: number) => Math.ceil((overMs * share) / 1000) * 1000
  return {
    /** The operator moves the opening at this time. */
    movesMs: overMs * MOVES,
    firstOpeningMs: wholeSecondAt(FIRST_OPENING),
    opensMs: wholeSecondAt(OPENS),
    closesMs: wholeSecondAt(CLOSES),
    /** The last viewers come before this time. */
    endsMs: wholeSecondAt(CLOSES) + overMs * (1 - CLOSES),
  }
}

interface PlanOptions {
  readonly overMs: number
  /** From 0 to 1. */
  readonly returnShare: number
  /** True if a viewer may have only some screens. */
  readonly hasLimit: boolean
}

/** Plans each viewer: three of four come early and wait, the others after the opening. */
export function planEvening(
  viewers: readonly Credentials[],
  { opensMs, closesMs, endsMs }: EveningTimes,
  { overMs, returnShare, hasLimit }: PlanOptions,
  random: () => number = Math.random,
) {
  const early = Math.ceil(viewers.length * EARLY_VIEWERS)
  return viewers.map((viewer, index) => {
    const isEarly = index < early
    const isSharing = hasLimit && [2, 5].includes(index % TWO_IN)
    const laterMs = overMs * (RETURNS_FROM + RETURNS_OVER * random())
    const lateShare = (index - early + random()) / Math.max(1, viewers.length - early)
    return {
      viewer,
      arrivesAtMs: isEarly
        ? (overMs * EARLY_UNTIL * (index + random())) / early
        : opensMs + (overMs * LATE_UNTIL - opensMs) * lateShare,
      wrongPasswords: 0,
      /** The return with the session, in milliseconds after the viewer got in. Null without a return. */
      returnsAfterMs: !isSharing && (index * GOLDEN_RATIO) % 1 < returnShare ? laterMs : null,
      leavesMs: closesMs - (index % LEAVES_EARLY_OF === 0 ? (closesMs - opensMs) * 0.5 * random() : 0),
      /** The sign-ins on more screens than the limit, counted as the return. Null for one screen. */
      moreScreensAfterMs: isSharing ? laterMs : null,
      /** The try after the end: with the session, or a new sign-in. */
      afterEnd:
        index % ONE_IN > 1
          ? null
          : {
              atMs: closesMs + (endsMs - closesMs) * 0.8 * random(),
              how: index % ONE_IN === 0 ? ('session' as const) : ('sign-in' as const),
            },
    }
  })
}
