import { usernameKey } from '../../../../../users/viewer-fields.ts'
import { atLimitOf, headOf } from './cut.ts'
import { openPrefixes } from './prefixes.ts'
import { canBecome, changedKeys, isChangeable, otherReadings } from './spelling.ts'

/** How a name of the service belongs to a known name, by its index. Null if it belongs to none. */
export type NameMatch =
  | { readonly how: 'exact' | 'changed' | 'cut'; readonly person: number }
  /** The name is of one of these, and nothing says of which. */
  | { readonly how: 'ambiguous'; readonly persons: readonly number[] }
  | null

/**
 * Finds the known name for each name that the service has. A name that the service cut or changed is matched if only one
 * known name fits. A known name that the service also has in full was not changed, so it fits no other name.
 * @param served the names of the service, each once.
 */
export function matchNames(served: readonly string[], known: readonly string[]): NameMatch[] {
  const byName = indexed(known.keys(), (index) => [known[index] ?? ''])
  const seen = new Set<number>()
  for (const name of served) for (const person of personsIn(byName, name)) seen.add(person)
  const free = [...known.keys()].filter((index) => !seen.has(index))
  const changeable = free.filter((index) => isChangeable(known[index] ?? ''))
  const isAtLimit = atLimitOf(served)
  // Most reports need none of these.
  const byKey = once(() => indexed(known.keys(), (index) => [usernameKey(known[index] ?? '')]))
  const byChange = once(() => indexed(changeable, (index) => changedKeys(known[index] ?? '')))
  const byStart = once(() => openPrefixes(known, free, changeable))

  const inOtherCase = (name: string) => personsIn(byKey(), usernameKey(name))
  const readAnew = (name: string) =>
    otherReadings(name)
      .flatMap(inOtherCase)
      .filter((person) => !seen.has(person))
  const changed = (name: string) =>
    changeable.length === 0
      ? []
      : changedKeys(name)
          .flatMap((key) => personsIn(byChange(), key))
          .filter((person) => canBecome(known[person] ?? '', name))
  const cut = (name: string) => {
    const head = headOf(name, isAtLimit(name))
    return head === null ? [] : byStart()(head)
  }
  const matches = served.map((name): NameMatch => {
    const same = personsIn(byName, name)
    if (same.length > 0) return oneOf('exact', same)
    const alike = inOtherCase(name)
    if (alike.length > 0) return oneOf('changed', alike)
    return oneOf('changed', [...readAnew(name), ...changed(name)]) ?? oneOf('cut', cut(name))
  })
  return withLonger(served, matches, cut)
}

/** Where other names were cut, a whole name may also be the beginning of a longer one. */
function withLonger(
  served: readonly string[],
  matches: NameMatch[],
  cut: (name: string) => readonly number[],
): NameMatch[] {
  const isCut = (match: NameMatch, name: string) =>
    match?.how === 'cut' || (match?.how === 'ambiguous' && cut(name).length > 0)
  if (!matches.some((match, index) => isCut(match, served[index] ?? ''))) return matches
  return matches.map((match, index) => {
    if (match?.how !== 'exact' && match?.how !== 'changed') return match
    const longer = cut(served[index] ?? '').filter((person) => person !== match.person)
    return longer.length === 0 ? match : { how: 'ambiguous', persons: [match.person, ...longer] }
  })
}

function oneOf(how: 'exact' | 'changed' | 'cut', found: readonly number[]): NameMatch {
  const [person] = found
  if (person === undefined) return null
  const persons = found.length === 1 ? found : [...new Set(found)]
  return persons.length === 1 ? { how, person } : { how: 'ambiguous', persons }
}

type Index = ReadonlyMap<string, number | readonly number[]>

/** Returns the persons by their keys. Most keys have only one, and a list for each would need much memory. */
function indexed(persons: Iterable<number>, keysOf: (person: number) => readonly string[]): Index {
  const found = new Map<string, number | readonly number[]>()
  for (const person of persons) {
    for (const key of new Set(keysOf(person))) {
      const others = found.get(key)
      found.set(key, others === undefined ? person : [others, person].flat())
    }
  }
  return found
}

function personsIn(index: Index, key: string): readonly number[] {
  const found = index.get(key) ?? []
  return typeof found === 'number' ? [found] : found
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
