export type Random = ReturnType<typeof createRandom>

/** Creates a generator of numbers that a seed repeats (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    chance: (share: number) => next() < share,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('Nothing to pick from')
      return list[below(list.length)] as T
    },
    text: (length: number) => Array.from({ length }, () => String.fromCharCode(0x21 + below(0x5e))).join(''),
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
