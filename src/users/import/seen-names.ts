import { hash } from 'node:crypto'

/** A set of names, stored as 52 bits of their digests. A million names take 16 MB; a Set of texts takes 88 MB. */
export interface SeenNames {
  /** Adds the name. Returns true if the set already had it. */
  add(name: string): boolean
}

const FIRST_SLOTS = 65_536

/** A hash set with open addressing, never more than half full. Zero marks a free slot. */
export function createSeenNames(): SeenNames {
  let slots = new Float64Array(FIRST_SLOTS)
  let count = 0

  function put(fingerprint: number): boolean {
    let at = fingerprint % slots.length
    while (slots[at] !== 0) {
      if (slots[at] === fingerprint) return true
      at = (at + 1) % slots.length
    }
    slots[at] = fingerprint
    count += 1
    return false
  }

  function grow(): void {
    const old = slots
    slots = new Float64Array(old.length * 2)
    count = 0
    for (const fingerprint of old) if (fingerprint !== 0) put(fingerprint)
    // Frees the memory now: the garbage collector would do so much later.
    old.buffer.transfer(0)
  }

  return {
    add(name) {
      if (count * 2 >= slots.length) grow()
      return put(Number.parseInt(hash('sha256', name, 'hex').slice(0, 13), 16) || 1)
    },
  }
}
