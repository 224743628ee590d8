/** A shorter name is not taken for a cut one, unless it ends in an ellipsis. */
const SHORTEST_LIMIT = 8
const SHORTEST_HEAD = 3
/** A name that is cut inside a character of UTF-8 loses up to three bytes more. */
const LOST_BYTES = 3
const ELLIPSIS = /(?:…|\.\.\.)$/
/** The rest of a character that was cut, and white space that a system removes at the end. */
const BROKEN_END = /[\ufffd\s]+$|[\ud800-\udbff]$/

/**
 * Returns a function that is true for the longest names: a system that cuts names leaves no longer ones. The limit may be in
 * characters, in UTF-16 units or in bytes of UTF-8.
 */
export function atLimitOf(names: readonly string[]): (name: string) => boolean {
  const most = { characters: 0, units: 0, bytes: 0 }
  for (const name of names) {
    const { characters, units, bytes } = lengthsOf(name)
    most.characters = Math.max(most.characters, characters)
    most.units = Math.max(most.units, units)
    most.bytes = Math.max(most.bytes, bytes)
  }
  return (name) => {
    const { characters, units, bytes } = lengthsOf(name)
    if (characters < SHORTEST_LIMIT) return false
    return characters === most.characters || units >= most.units - 1 || bytes >= most.bytes - LOST_BYTES
  }
}

function lengthsOf(name: string): { characters: number; units: number; bytes: number } {
  return { characters: [...name].length, units: name.length, bytes: Buffer.byteLength(name) }
}

/** Returns the part of a name that was kept, or null if nothing says that the name was cut. */
export function headOf(name: string, isAtLimit: boolean): string | null {
  const head = name.replace(ELLIPSIS, '').replace(BROKEN_END, '')
  const isMarked = ELLIPSIS.test(name) && head.length >= SHORTEST_HEAD
  return isMarked || (isAtLimit && head !== '') ? head : null
}
