export interface DifferentCount {
  add(name: string): void
  /** Exact up to 10,000 different names. Above, the error is about 0.2 percent up to some millions. */
  result(): { readonly count: number; readonly isExact: boolean }
}

const MOST_EXACT = 10_000
/** 2 MiB of bits. */
const BITS = 2 ** 24

/**
 * Counts the different names of a stream in bounded memory. Keeps the names first. With more names it sets one bit for
 * each hash, and estimates the count from the share of free bits (linear counting, Whang and others, 1990).
 */
export function createDifferentCount(): DifferentCount {
  const names = new Set<string>()
  let bits: Uint8Array | null = null
  let taken = 0
  const mark = (name: string) => {
    bits ??= new Uint8Array(BITS / 8)
    const bit = hashOf(name) % BITS
    const [place, mask] = [bit >> 3, 1 << (bit & 7)]
    const byte = bits[place] ?? 0
    if ((byte & mask) === 0) taken += 1
    bits[place] = byte | mask
  }
  return {
    add(name) {
      if (bits !== null) return mark(name)
      names.add(name)
      if (names.size <= MOST_EXACT) return
      for (const one of names) mark(one)
      names.clear()
    },
    result() {
      if (bits === null) return { count: names.size, isExact: true }
      return { count: Math.round(-BITS * Math.log1p(-Math.min(taken, BITS - 1) / BITS)), isExact: false }
    },
  }
}

/** FNV-1a with the final mixing of MurmurHash3, 32 bits. Good for counting, not for security. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
