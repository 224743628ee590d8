import { accountEndOf, END_ATTRIBUTE, endNamesIn } from '../../../features/account-end/account-end.ts'
import { timeText, type ZonedTime } from '../../../settings/times.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { readEndTime } from '../../cli/output/end-time.ts'

const FORMS = '2026-11-30, 2026-11-30T20:15, 2026-11-30T20:15+01:00 or never'

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

/** Reads an end, or `never`, for which it returns null. @throws ConfigError as `readEndTime`. */
export function readUntil(name: string, text: string, zone?: string): ZonedTime | null {
  return text === 'never' ? null : readEndTime(name, text, zone, FORMS)
}
