import { hash } from 'node:crypto'

/** Names met so far, told apart by 52 bits of their digest: a million of them take 16 MB, as texts they would take 100. */
export interface SeenNames {
  /** Whether the name was met before; from now on it was. */
  meet(name: string): boolean
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
    // Given back at once: as garbage all tables so far would stay for long, as large together as the new one.
    old.buffer.transfer(0)
  }

  return {
    meet(name) {
      if (count * 2 >= slots.length) grow()
      return put(Number.parseInt(hash('sha256', name, 'hex').slice(0, 13), 16) || 1)
    },
  }
}
