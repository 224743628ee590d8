/** A stream of numbers that is the same for the same seed, everywhere. Not for anything that must not be guessed. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from `low` up to, not including, `high`. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  /** Exponentially distributed: short is common, long is rare. */
  around(mean: number): number
  pick<T>(weighted: readonly (readonly [item: T, weight: number])[]): T
  /** Shaped like a UUID of version 7: those of later moments sort later, which keeps an index over many compact. */
  uuid(atSeconds: number): string
}

/** The generator is mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  function next32(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = () => next32() / 2 ** 32
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low)),
    chance: (probability) => next() < probability,
    around: (mean) => -mean * Math.log(1 - next()),
    pick: (weighted) => pickWeighted(weighted, next()),
    uuid(atSeconds) {
      const time = Math.floor((atSeconds + next()) * 1000)
        .toString(16)
        .padStart(12, '0')
      const version = (next32() & 0x0fff) | 0x7000
      const variant = (next32() & 0x3fff) | 0x8000
      const rest = hex(next32(), 8) + hex(next32() & 0xffff, 4)
      return `${time.slice(0, 8)}-${time.slice(8)}-${hex(version, 4)}-${hex(variant, 4)}-${rest}`
    },
  }
}

function hex(bits: number, digits: number): string {
  return (bits >>> 0).toString(16).padStart(digits, '0')
}

/** A seed of its own for one of many numbered things, so that each can be looked at again without keeping it. */
export function seedOf(seed: number, index: number): number {
  return (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0
}

function pickWeighted<T>(weighted: readonly (readonly [item: T, weight: number])[], share: number): T {
  let left = share * weighted.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [item, weight] of weighted) {
    left -= weight
    if (left < 0) return item
  }
  const last = weighted.at(-1)
  if (last === undefined) throw new RangeError('There is nothing to pick from')
  return last[0]
}
