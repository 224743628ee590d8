import { parseTime, type ZonedTime } from '../../settings/times.ts'

/** The attribute with the end of the account. Upper and lower case do not count: databases write `accountendsat`. */
export const END_ATTRIBUTE = 'accountEndsAt'

/** ISO 8601, also as JSON and databases write it, and the generalized time of directories (RFC 4517, 3.3.13). */
const FORM = /^(\d{4}-\d\d-\d\d|\d{8})[T ]?(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)$/i

type Attributes = Readonly<Record<string, string | null>>

/** Returns the names under which a viewer has an end. */
export function endNamesIn(attributes: Attributes): string[] {
  return Object.keys(attributes).filter(
    (name) => name.length === END_ATTRIBUTE.length && name.toLowerCase() === END_ATTRIBUTE.toLowerCase(),
  )
}

/**
 * Returns the end of an account, the earliest of several; null for an account without an end.
 * A value that cannot be read is not the same as no end: its viewer must not watch.
 */
export function accountEndOf(attributes: Attributes): ZonedTime | 'unreadable' | null {
  const ends = endNamesIn(attributes).map((name) => parseEnd(attributes[name] ?? ''))
  const [first] = ends.toSorted((one, other) => (one?.seconds ?? 0) - (other?.seconds ?? 0))
  return ends.includes(null) ? 'unreadable' : (first ?? null)
}

/** Parses a time with a zone. Leaves out parts of a second. Null for any other text. */
function parseEnd(text: string): ZonedTime | null {
  const [, date = '', hours, minutes, seconds = '00', zone = ''] = FORM.exec(text.trim()) ?? []
  const day = date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  const offset = zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)?$/, (_all, hour, minute = '00') => `${hour}:${minute}`)
  return parseTime(`${day}T${hours}:${minutes}:${seconds}${offset}`)
}
