/**
 * Returns the chance that a random time of the second group is longer than one of the first (AUC of Mann-Whitney): 0.5 if
 * both come from the same distribution, whatever it is.
 */
export function chanceOfLonger(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((ms) => ({ ms, isOther: false })), ...other.map((ms) => ({ ms, isOther: true }))]
  const sorted = all.toSorted((a, b) => a.ms - b.ms)
  const rankSum = sorted.reduce((sum, { isOther }, index) => sum + (isOther ? index + 1 : 0), 0)
  const n = one.length
  const m = other.length
  return (rankSum - (m * (m + 1)) / 2) / (n * m)
}

/** Returns how many standard deviations the ranks of two groups are apart. */
export function deviation(one: readonly number[], other: readonly number[]): number {
  const n = one.length
  const m = other.length
  return Math.abs(chanceOfLonger(one, other) - 0.5) * Math.sqrt((12 * n * m) / (n + m + 1))
}

export function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
}
