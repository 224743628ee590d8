import { usernameKey } from '../../../../../users/viewer-fields.ts'
import { atLimitOf, type Cut, cutOf } from './cut.ts'
import { openPrefixes } from './prefixes.ts'
import { canBecome, changedKeys, otherReadings } from './spelling.ts'

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
  const byName = indexed(known, (name) => [name])
  const seen = new Set(served.flatMap((name) => byName.get(name) ?? []))
  const isFree = (person: number) => !seen.has(person)
  const byKey = indexed(known, (name) => [usernameKey(name)])
  const isAtLimit = atLimitOf(served)
  // Most lists need none of these.
  const ofChanged = once(() => indexed(known, changedKeys))
  const ofStart = once(() => openPrefixes(known))
  const startingWith = (cut: Cut) => ofStart()(cut.head).filter(isFree)

  const spelledSame = (name: string) => byKey.get(usernameKey(name)) ?? []
  const readAnew = (name: string) => otherReadings(name).flatMap(spelledSame)
  const changed = (name: string) =>
    changedKeys(name)
      .flatMap((key) => ofChanged().get(key) ?? [])
      .filter((person) => canBecome(known[person] ?? '', name))
  const cut = (name: string) => {
    const found = cutOf(name, isAtLimit(name))
    return found === null ? [] : startingWith(found)
  }
  const partOf = (name: string): NameMatch => {
    const inOtherCase = new Set(spelledSame(name))
    if (inOtherCase.size > 0) return oneOf('changed', inOtherCase)
    const same = new Set([...readAnew(name), ...changed(name)].filter(isFree))
    return same.size > 0 ? oneOf('changed', same) : oneOf('cut', new Set(cut(name)))
  }
  const matches = served.map((name): NameMatch => {
    const persons = byName.get(name)
    return persons === undefined ? partOf(name) : oneOf('exact', new Set(persons))
  })
  // Where other names were cut, a whole name of that length may also be the beginning of a longer one.
  const areCut = matches.some(
    (match, index) => match !== null && match.how !== 'exact' && isCut(match, served[index] ?? ''),
  )
  function isCut(match: NonNullable<NameMatch>, name: string): boolean {
    return match.how === 'cut' || (match.how === 'ambiguous' && cut(name).length > 0)
  }
  if (!areCut) return matches
  return matches.map((match, index) => {
    if (match?.how !== 'exact' && match?.how !== 'changed') return match
    const longer = cut(served[index] ?? '').filter((person) => person !== match.person)
    return longer.length === 0 ? match : { how: 'ambiguous', persons: [match.person, ...longer] }
  })
}

function oneOf(how: 'exact' | 'changed' | 'cut', persons: ReadonlySet<number>): NameMatch {
  const [person] = persons
  if (person === undefined) return null
  return persons.size === 1 ? { how, person } : { how: 'ambiguous', persons: [...persons] }
}

/** Returns the indexes of the names by their keys. */
function indexed(names: readonly string[], keysOf: (name: string) => readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const [index, name] of names.entries()) {
    for (const key of new Set(keysOf(name))) {
      const others = found.get(key)
      if (others === undefined) found.set(key, [index])
      else others.push(index)
    }
  }
  return found
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
