export interface Ranking<Entry> {
  /** The entry of a name, a new one for a name that is not known (any more). */
  entryOf(name: string): Entry
  /** The greatest, greatest first; equal ones by name. */
  top(count: number): (readonly [name: string, entry: Entry])[]
  /** How many names are known now. */
  size(): number
  /** By how much an entry of `top` may be too small: 0 unless there were more names than the ranking holds. */
  mostMissing(): number
}

interface RankingOptions<Entry> {
  readonly most: number
  readonly create: () => Entry
  readonly weightOf: (entry: Entry) => number
}

/**
 * Names by weight in bounded memory, the weights growing as a stream passes. Exact for up to `most` different names. At
 * more, the lighter half is forgotten; a name that comes again starts anew, so that each time it may lose as much as the
 * heaviest that was forgotten. The sum of these is the bound that `mostMissing` gives (Misra and Gries, in batches).
 */
export function createRanking<Entry>({ most, create, weightOf }: RankingOptions<Entry>): Ranking<Entry> {
  const entries = new Map<string, Entry>()
  let forgotten = 0
  const sorted = () =>
    [...entries].sort(([aName, a], [bName, b]) => weightOf(b) - weightOf(a) || (aName < bName ? -1 : 1))
  const forgetLighterHalf = () => {
    const lighter = sorted().slice(Math.ceil(most / 2))
    forgotten += lighter[0] === undefined ? 0 : weightOf(lighter[0][1])
    for (const [name] of lighter) entries.delete(name)
  }
  return {
    entryOf(name) {
      const known = entries.get(name)
      if (known !== undefined) return known
      if (entries.size >= most) forgetLighterHalf()
      const entry = create()
      entries.set(name, entry)
      return entry
    },
    top: (count) => sorted().slice(0, count),
    size: () => entries.size,
    mostMissing: () => forgotten,
  }
}
