export interface Ranking<Entry> {
  /** Returns the entry of a name. Creates it if the name is new or was dropped. */
  entryOf(name: string): Entry
  /** Returns the heaviest entries, heaviest first, equal ones by name. */
  top(count: number): (readonly [name: string, entry: Entry])[]
  /** Number of names in memory. */
  size(): number
  /** Largest possible error of an entry, which is never too high. 0 until names are dropped. */
  largestError(): number
}

interface RankingOptions<Entry> {
  readonly most: number
  readonly create: () => Entry
  readonly weightOf: (entry: Entry) => number
}

/**
 * Ranks the names of a stream by weight in bounded memory. Exact for up to `most` different names. With more, the
 * lighter half is dropped, and a dropped name that returns starts at zero. Each drop can cost a name at most the
 * heaviest dropped weight; `largestError` is the sum of these weights (Misra and Gries, in batches).
 */
export function createRanking<Entry>({ most, create, weightOf }: RankingOptions<Entry>): Ranking<Entry> {
  const entries = new Map<string, Entry>()
  let droppedWeight = 0
  const sorted = () =>
    [...entries].sort(([aName, a], [bName, b]) => weightOf(b) - weightOf(a) || (aName < bName ? -1 : 1))
  const dropLighterHalf = () => {
    const lighter = sorted().slice(Math.ceil(most / 2))
    droppedWeight += lighter[0] === undefined ? 0 : weightOf(lighter[0][1])
    for (const [name] of lighter) entries.delete(name)
  }
  return {
    entryOf(name) {
      const known = entries.get(name)
      if (known !== undefined) return known
      if (entries.size >= most) dropLighterHalf()
      const entry = create()
      entries.set(name, entry)
      return entry
    },
    top: (count) => sorted().slice(0, count),
    size: () => entries.size,
    largestError: () => droppedWeight,
  }
}
