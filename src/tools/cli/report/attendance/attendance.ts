import type { Person } from './invited/people.ts'
import { matchNames, type NameMatch } from './names/match-names.ts'
import type { CollectedSegments, SeenViewer } from './segments.ts'
import type { Watched } from './watch-times.ts'

/**
 * `not-invited`: in the store, but not in the chosen groups. `unknown`: not in the list, such as an SSO viewer.
 * `signed-in`: came, and there is no list. `guest`: a device without a name.
 */
export type Kind = 'invited' | 'not-invited' | 'unknown' | 'signed-in' | 'guest'
/** `unclear`: a name that the service cut or changed may be of this person, or of another. */
export type Status = 'came' | 'missing' | 'unclear'

export interface Attendee {
  readonly kind: Kind
  readonly status: Status
  /** The name in the list, else the name of the service. Null for a guest. */
  readonly name: string | null
  readonly clientId: string | null
  /** The names of the service for this person. */
  readonly serviceNames: readonly string[]
  /** How the names belong together: the least certain of them. Null without a list, and for who did not come. */
  readonly match: NonNullable<NameMatch>['how'] | null
  /** The people whose name it may be. */
  readonly possibleNames: readonly string[]
  readonly groups: readonly string[]
  readonly values: readonly string[]
  readonly watched: Watched | null
  /** True if a segment had no end. It counted until now. */
  readonly isRunning: boolean
}

interface Joined {
  readonly people: readonly Person[]
  readonly hasList: boolean
  readonly seen: CollectedSegments
  /** How each viewer belongs to the people. */
  readonly matches: readonly NameMatch[]
  /** Returns the viewers of a person. */
  readonly viewersOf: (person: number) => number[]
  /** The time of a person. Viewers without a person follow the people. */
  readonly watchedBy: (person: number) => Watched | null
}

const HOW = ['exact', 'changed', 'cut', 'ambiguous'] as const

/**
 * Joins people and viewers. First come people in the order of their names, then other names, then guests.
 * @param list null for a report without a list.
 * @returns a function that yields all, each time anew: a list of them would need much memory.
 */
export function joinAttendance(seen: CollectedSegments, list: readonly Person[] | null): () => Generator<Attendee> {
  const { viewers, times } = seen
  const people = [...(list ?? [])].sort((a, b) => (a.username < b.username ? -1 : 1))
  const matches = matchViewers(viewers, people)
  const personOf = matches.map((match, number) =>
    match === null || match.how === 'ambiguous' ? people.length + number : match.person,
  )
  const viewersOf = viewersByPerson(personOf, people.length)
  const watchedBy = times.ofPeople(personOf, people.length + viewers.length)
  const joined = { people, hasList: list !== null, seen, matches, viewersOf, watchedBy }
  return function* all() {
    yield* listed(joined)
    yield* others(joined, true)
    yield* others(joined, false)
  }
}

/** Returns a function that finds the viewers of a person. They are chained, since a list for each would need much memory. */
function viewersByPerson(personOf: readonly number[], people: number): (person: number) => number[] {
  const NONE = personOf.length
  const [first, next] = [new Uint32Array(people).fill(NONE), new Uint32Array(personOf.length)]
  for (let number = personOf.length - 1; number >= 0; number -= 1) {
    const person = personOf[number] ?? 0
    if (person >= people) continue
    next[number] = first[person] ?? NONE
    first[person] = number
  }
  return (person) => {
    const found: number[] = []
    for (let number = first[person] ?? NONE; number < NONE; number = next[number] ?? NONE) found.push(number)
    return found
  }
}

/** Returns how each viewer belongs to the people, by their places. */
function matchViewers(viewers: readonly SeenViewer[], people: readonly Person[]): NameMatch[] {
  const served = [...viewers.keys()].filter((number) => viewers[number]?.name !== null)
  const known = [...people.keys()].filter((at) => people[at]?.identifier !== null)
  const found = matchNames(
    served.map((number) => viewers[number]?.name ?? ''),
    known.map((at) => people[at]?.identifier ?? ''),
  )
  const placeOf = (index: number) => known[index] ?? 0
  const matches: NameMatch[] = viewers.map(() => null)
  for (const [index, match] of found.entries()) {
    const number = served[index] ?? 0
    if (match?.how === 'ambiguous') matches[number] = { how: match.how, persons: match.persons.map(placeOf) }
    else if (match !== null) matches[number] = { how: match.how, person: placeOf(match.person) }
  }
  return matches
}

/** Yields the people of the list. Of the others in the store, only those who came. */
function* listed({ people, seen, matches, viewersOf, watchedBy }: Joined): Generator<Attendee> {
  const mayBe = new Set(matches.flatMap((match) => (match?.how === 'ambiguous' ? match.persons : [])))
  for (const [index, { username: name, identifier, isInvited, groups, values }] of people.entries()) {
    const numbers = viewersOf(index)
    if (!isInvited && numbers.length === 0) continue
    const isUnclear = mayBe.has(index) || identifier === null
    yield {
      ...{ kind: isInvited ? 'invited' : 'not-invited', name, clientId: null, groups, values, possibleNames: [] },
      status: numbers.length > 0 ? 'came' : isUnclear ? 'unclear' : 'missing',
      serviceNames: numbers.flatMap((number) => seen.viewers[number]?.name ?? []),
      match: HOW.findLast((how) => numbers.some((number) => matches[number]?.how === how)) ?? null,
      watched: watchedBy(index),
      isRunning: numbers.some((number) => seen.running.has(number)),
    }
  }
}

/** Yields the names that belong to no person, or the guests. */
function* others({ people, hasList, seen, matches, watchedBy }: Joined, hasName: boolean): Generator<Attendee> {
  const textOf = (number: number) => seen.viewers[number]?.name ?? seen.viewers[number]?.clientId ?? ''
  const numbers = [...seen.viewers.keys()].filter((number) => (seen.viewers[number]?.name !== null) === hasName)
  for (const number of numbers.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))) {
    const { name = null, clientId = null } = seen.viewers[number] ?? {}
    const match = matches[number] ?? null
    if (match !== null && match.how !== 'ambiguous') continue
    yield {
      ...{ kind: hasName ? (hasList ? 'unknown' : 'signed-in') : 'guest', status: 'came', groups: [], values: [] },
      ...{ name, clientId, serviceNames: name === null ? [] : [name], match: match?.how ?? null },
      possibleNames: match?.persons.map((at) => people[at]?.username ?? '') ?? [],
      watched: watchedBy(people.length + number),
      isRunning: seen.running.has(number),
    }
  }
}
