/** One line of the table that `npm run bench` prints. */
export interface BenchRow {
  readonly name: string
  /** The median of the rounds. */
  readonly value: number
  readonly unit: string
  /** The median of the baseline in the same rounds. */
  readonly baseline?: number
  /** The median of value divided by baseline in each round. A slow round slows down both. */
  readonly ratio?: number
  /** The lower and upper quartile of the ratio if there is one, else of the value. */
  readonly spread?: readonly [low: number, high: number]
  /** The target for the ratio if there is one, else for the value. */
  readonly target?: Target
  readonly note?: string
}

/** A measurement without a result. */
export interface FailedRow {
  readonly name: string
  readonly failure: string
}

export type Target = { readonly atMost: number } | { readonly atLeast: number }

/** Null for a row without a target. */
export function isMet({ value, ratio, target }: BenchRow): boolean | null {
  if (target === undefined) return null
  const figure = ratio ?? value
  return 'atMost' in target ? figure <= target.atMost : figure >= target.atLeast
}

/** Returns the figures of a row without a baseline. @throws RangeError without rounds. */
export function measured<T>(rounds: readonly T[], figureOf: (round: T) => number) {
  const figures = rounds.map(figureOf)
  return { value: median(figures), spread: quartiles(figures) }
}

/** Returns the figures of a row with a baseline of the same rounds. @throws RangeError without rounds. */
export function compared<T>(rounds: readonly T[], figureOf: (round: T) => number, baselineOf: (round: T) => number) {
  const ratios = rounds.map((round) => figureOf(round) / baselineOf(round))
  return {
    value: median(rounds.map(figureOf)),
    baseline: median(rounds.map(baselineOf)),
    ratio: median(ratios),
    spread: quartiles(ratios),
  }
}

/** @throws RangeError for an empty list. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/**
 * @param share 0.95 for the 95th percentile.
 * @throws RangeError for an empty list.
 */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]
  const above = sorted[Math.ceil(place)]
  if (below === undefined || above === undefined) throw new RangeError('There is no median of nothing')
  return below + (above - below) * (place - Math.floor(place))
}

function quartiles(figures: readonly number[]): [low: number, high: number] {
  return [quantile(figures, 0.25), quantile(figures, 0.75)]
}
