import type { DatabaseSync } from 'node:sqlite'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { Person } from './invited/people.ts'

/**
 * `not-invited`: in the store, but not in the chosen groups. `unknown`: not in the list.
 * `signed-in`: came, and there is no list. `guest`: a device without a name.
 */
export type Kind = 'invited' | 'not-invited' | 'unknown' | 'signed-in' | 'guest'
/** `unclear`: the service has a name that several people have, or the person has no name at the service. */
export type Status = 'came' | 'missing' | 'unclear'
/** `changed`: differs in upper and lower case only. `ambiguous`: fits several people. */
export type Match = 'exact' | 'changed' | 'ambiguous'

/** The time that one viewer watched. Parallel devices count once. */
export interface Watched {
  readonly liveMs: number
  readonly recordedMs: number
  /** Less than the sum, if a channel and a video ran at the same time. */
  readonly ms: number
  readonly firstMs: number
  readonly lastMs: number
}

export interface Attendee {
  readonly kind: Kind
  readonly status: Status
  /** The name in the list, else the name of the service. Null for a guest. */
  readonly name: string | null
  readonly clientId: string | null
  /** The names of the service for this person. */
  readonly serviceNames: readonly string[]
  /** How the names belong together: the least certain of them. Null without a list, and for who did not come. */
  readonly match: Match | null
  /** The people whose name it may be. */
  readonly possibleNames: readonly string[]
  readonly groups: readonly string[]
  readonly values: readonly string[]
  readonly watched: Watched | null
  /** True if a segment had no end. It counted until now. */
  readonly isRunning: boolean
}

/** A row of the table `came`: the names of the service that are one person, or another name, or a device. */
interface Came extends Watched {
  readonly name: string | null
  readonly client: string | null
  /** JSON arrays: the names of the service, and the people whose name it may be, by their places in the list. */
  readonly names: string
  readonly mayBe: string
  readonly match: Match | null
  readonly isRunning: 0 | 1
}

/**
 * Joins people and viewers. First come people in the order of their names, then other names, then guests.
 * @param database has the segments.
 * @param list null for a report without a list.
 * @param toMs the end of the period. A segment without an end counts until then, at most until now.
 * @returns a function that yields all, each time anew: a list of them would need much memory.
 */
export function joinAttendance(
  database: DatabaseSync,
  list: readonly Person[] | null,
  { toMs, nowMs }: { readonly toMs: number; readonly nowMs: number },
): () => Generator<Attendee> {
  const people = [...(list ?? [])].sort((a, b) => (a.username < b.username ? -1 : 1))
  const ambiguous = matchNames(database, people)
  sumUp(database, people.length, Math.min(toMs, nowMs))
  const cameAs = database.prepare('SELECT * FROM came WHERE who = ?')
  const others = database.prepare('SELECT * FROM came WHERE who >= ? ORDER BY name IS NULL, name, client')
  return function* all() {
    for (const [place, person] of people.entries()) {
      const came = (cameAs.get(place) ?? null) as Came | null
      if (came !== null || person.isInvited) yield listed(person, came, ambiguous.has(place))
    }
    for (const came of others.iterate(people.length) as unknown as Iterable<Came>) {
      yield other(came, list === null ? 'signed-in' : 'unknown', people)
    }
  }
}

/**
 * Creates the table `viewer`: each name of the service and each device without a name, with the place of its person.
 * @returns the places of the people whose name others have too.
 */
function matchNames(database: DatabaseSync, people: readonly Person[]): ReadonlySet<number> {
  database.exec(`CREATE TEMP TABLE viewer (id INTEGER PRIMARY KEY, name TEXT, client TEXT, place INTEGER, match TEXT,
      mayBe TEXT DEFAULT '[]');
    INSERT INTO viewer (name, client) SELECT DISTINCT name, client FROM segment;
    CREATE INDEX viewer_by_name ON viewer (name, client)`)
  const known = [...people.keys()].filter((place) => people[place]?.identifier !== null)
  const byName = Map.groupBy(known, (place) => people[place]?.identifier ?? '')
  const byKey = Map.groupBy(known, (place) => usernameKey(people[place]?.identifier ?? ''))
  const ambiguous = new Set<number>()
  const names = database.prepare('SELECT id, name FROM viewer WHERE name IS NOT NULL').iterate()
  const update = database.prepare('UPDATE viewer SET place = ?, match = ?, mayBe = ? WHERE id = ?')
  for (const { id, name } of names as unknown as Iterable<{ id: number; name: string }>) {
    const exact = byName.get(name)
    const places = exact ?? byKey.get(usernameKey(name)) ?? []
    if (places.length === 1) update.run(places[0] ?? null, exact === undefined ? 'changed' : 'exact', '[]', id)
    if (places.length < 2) continue
    update.run(null, 'ambiguous', JSON.stringify(places), id)
    for (const place of places) ambiguous.add(place)
  }
  return ambiguous
}

/**
 * Creates the table `came`. `who` is the place of a person, and a higher number for others.
 * @param runningToMs the end of a segment without an end.
 */
function sumUp(database: DatabaseSync, people: number, runningToMs: number): void {
  const who = `ifnull(place, ${people} + id)`
  database.exec(`CREATE TEMP TABLE watched (who INTEGER PRIMARY KEY, isRunning INTEGER, liveMs INTEGER,
    recordedMs INTEGER, ms INTEGER, firstMs INTEGER, lastMs INTEGER)`)
  const insert = database.prepare('INSERT INTO watched VALUES (?, ?, ?, ?, ?, ?, ?)')
  const segments = database.prepare(`SELECT ${who} AS who, layer, fromMs, toMs
    FROM segment JOIN viewer ON viewer.name IS segment.name AND viewer.client IS segment.client ORDER BY who, fromMs`)
  segments.setReturnArrays(true)
  for (const one of watchTimes(segments.iterate() as unknown as Iterable<PersonSegment>, runningToMs)) {
    insert.run(one.who, one.isRunning, one.liveMs, one.recordedMs, one.ms, one.firstMs, one.lastMs)
  }
  database.exec(`CREATE TEMP TABLE came (who INTEGER PRIMARY KEY, name TEXT, client TEXT, names TEXT, mayBe TEXT,
      match TEXT, isRunning INTEGER, liveMs INTEGER, recordedMs INTEGER, ms INTEGER, firstMs INTEGER, lastMs INTEGER);
    INSERT INTO came
      WITH named AS (
        SELECT ${who} AS who, max(name) AS name, max(client) AS client,
          json_group_array(name ORDER BY name) FILTER (WHERE name IS NOT NULL) AS names, max(mayBe) AS mayBe,
          min(match) AS match
        FROM viewer GROUP BY who
      )
      SELECT who, name, client, names, mayBe, match, isRunning, liveMs, recordedMs, ms, firstMs, lastMs
      FROM watched JOIN named USING (who)`)
}

/** A segment of a person. Layer 0 is live, 1 recorded. `toMs` is null while the segment runs. */
type PersonSegment = readonly [who: number, layer: 0 | 1, fromMs: number, toMs: number | null]

/** Adds up the segments of each person. @param segments in the order of people, and then of their starts. */
function* watchTimes(
  segments: Iterable<PersonSegment>,
  runningToMs: number,
): Generator<Watched & Pick<Came, 'isRunning'> & { who: number }> {
  const start = (who: number, firstMs: number) => {
    const isRunning = 0 as 0 | 1
    return {
      who,
      firstMs,
      lastMs: firstMs,
      isRunning,
      liveMs: 0,
      recordedMs: 0,
      ms: 0,
      layerEndsMs: [firstMs, firstMs],
    }
  }
  let person: ReturnType<typeof start> | null = null
  for (const [who, layer, fromMs, endMs] of segments) {
    if (person !== null && person.who !== who) yield person
    if (person?.who !== who) person = start(who, fromMs)
    const toMs = endMs ?? Math.max(fromMs, runningToMs)
    const addedAfter = (earlierEndMs: number) => Math.max(0, toMs - Math.max(fromMs, earlierEndMs))
    const layerEndMs = person.layerEndsMs[layer] ?? fromMs
    if (endMs === null) person.isRunning = 1
    if (layer === 0) person.liveMs += addedAfter(layerEndMs)
    else person.recordedMs += addedAfter(layerEndMs)
    person.ms += addedAfter(person.lastMs)
    person.layerEndsMs[layer] = Math.max(layerEndMs, toMs)
    person.lastMs = Math.max(person.lastMs, toMs)
  }
  if (person !== null) yield person
}

function listed(person: Person, came: Came | null, isAmbiguous: boolean): Attendee {
  const { username, identifier, isInvited, groups, values } = person
  const absent = isAmbiguous || identifier === null ? 'unclear' : 'missing'
  return {
    kind: isInvited ? 'invited' : 'not-invited',
    status: came === null ? absent : 'came',
    name: username,
    clientId: null,
    serviceNames: came === null ? [] : JSON.parse(came.names),
    match: came?.match ?? null,
    possibleNames: [],
    groups,
    values,
    watched: came,
    isRunning: came?.isRunning === 1,
  }
}

/** @param kind that of a name. */
function other(came: Came, kind: Kind, people: readonly Person[]): Attendee {
  const mayBe: readonly number[] = JSON.parse(came.mayBe)
  return {
    kind: came.name === null ? 'guest' : kind,
    status: 'came',
    name: came.name,
    clientId: came.client,
    serviceNames: JSON.parse(came.names),
    match: came.match,
    possibleNames: mayBe.map((place) => people[place]?.username ?? ''),
    groups: [],
    values: [],
    watched: came,
    isRunning: came.isRunning === 1,
  }
}
