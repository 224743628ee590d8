/** Random numbers that are the same for the same seed on every machine. Not for secrets. */
export type SeededRandom = ReturnType<typeof seededRandom>

/** The generator is mulberry32. */
export function seededRandom(seed: number) {
  let state = seed >>> 0
  function next32(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = () => next32() / 2 ** 32
  return {
    /** A number from 0 up to, not including, 1. */
    next,
    /** A whole number from 0 up to, not including, `limit`. Small numbers are more common. */
    low: (limit: number) => Math.floor(limit * next() ** 2),
    chance: (probability: number) => next() < probability,
    /** Exponentially distributed: short is common, long is rare. */
    around: (mean: number) => -mean * Math.log(1 - next()),
    /** Has the shape of a UUID of version 4. */
    uuid(): string {
      const digits = Array.from({ length: 4 }, () => next32().toString(16).padStart(8, '0')).join('')
      return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
    },
  }
}

/** The seed of one of many numbered things, so that each can be made again without keeping it. */
export function seedOf(seed: number, index: number): number {
  return (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0
}
