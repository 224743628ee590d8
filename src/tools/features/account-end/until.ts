import { accountEndOf, END_ATTRIBUTE, endNamesIn, parseEnd } from '../../../features/account-end/account-end.ts'
import { timeText, type ZonedTime } from '../../../settings/times.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { readTime } from '../../cli/output/local-time.ts'
import { isoWithOffset, machineTimeZone, type TimeZone, timeOfLocal } from '../../cli/output/time-zone.ts'

const DAY = /^[12]\d{3}-\d\d-\d\d$/
const DAY_MS = 86_400_000
const FORMS = '2026-11-30, 2026-11-30T20:15, 2026-11-30T20:15+01:00 or never'

/**
 * Reads when an account ends. A day means its last second.
 * @param name of the option or column, for a message.
 * @param zone of a time without an offset.
 * @returns null for `never`.
 * @throws ConfigError for any other text, with what to write.
 */
export function readUntil(name: string, text: string, zone: TimeZone = machineTimeZone()): ZonedTime | null {
  if (text === 'never') return null
  const given = parseEnd(text)
  if (given !== null) return given
  const day = DAY.test(text) ? parseEnd(`${text}T00:00:00Z`) : null
  const ms =
    day === null
      ? readTime(name, text, zone, Date.now() / 1000, FORMS) * 1000
      : timeOfLocal(zone, day.seconds * 1000 + DAY_MS) - 1000
  return parseEnd(isoWithOffset(ms, zone.offsetMsAt(ms)))
}

/** Returns a sentence that says how an end was understood. */
export function understood(end: ZonedTime | null): string {
  if (end === null) return 'No end: never.'
  const isOver = end.seconds <= Date.now() / 1000
  return `End${isOver ? ', which is in the past' : ''}: ${timeText('en', end.seconds, end.zone)} (${end.text}).`
}

/** Returns the attributes to change so that a viewer has this end alone. Null removes an attribute. */
export function changesFor(
  attributes: Readonly<Record<string, string | null>>,
  end: ZonedTime | null,
): Record<string, string | null> {
  const without = Object.fromEntries(endNamesIn(attributes).map((name) => [name, null]))
  return { ...without, ...(end !== null && { [END_ATTRIBUTE]: end.text }) }
}

/** Returns the state of an account that has ended, for `viewers list` and `viewers show`. Null for any other. */
export function endedState({ attributes }: Pick<Viewer, 'attributes'>, nowSeconds: number): string | null {
  const end = accountEndOf(attributes)
  if (end === 'unreadable') return 'end-unreadable'
  return end !== null && end.seconds <= nowSeconds ? 'ended' : null
}
