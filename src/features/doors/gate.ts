import { fill } from '../../languages/languages.ts'
import type { AccessRefused } from '../../login/answer/access-decision.ts'
import { inEachLanguage } from '../../login/answer/policy-text.ts'
import type { EventState } from '../../settings/event-window.ts'
import { timeText } from '../../settings/times.ts'
import { doorState } from './doors.ts'
import type { DoorSettings } from './fields.ts'

/** `code` of a refusal is the state of the door. Null for a door that stays open. */
export type DoorDecision = AccessRefused | { readonly ok: true; readonly endsAtSeconds: number } | null

type Closed = Exclude<EventState, { name: 'open' }>

/**
 * Creates the gate of an entry point. It lets viewers pass while the door is open, and ends their answers with it.
 * @param doorsNow returns the doors as they are now: an operator may move them.
 * @param nowSeconds UNIX time in seconds.
 */
export function createGate(doorsNow: () => DoorSettings, nowSeconds: () => number): () => DoorDecision {
  let last: { readonly key: string; readonly refusal: AccessRefused } | null = null
  return () => {
    const doors = doorsNow()
    const state = doorState(doors.windows, nowSeconds())
    if (state.name === 'open') {
      return state.endsAtSeconds === null ? null : { ok: true, endsAtSeconds: state.endsAtSeconds }
    }
    // Thousands may wait for the same time.
    const key = JSON.stringify([state, doors.timeZone, doors.overUrl])
    if (last?.key !== key) last = { key, refusal: refusalOf(state, doors) }
    return last.refusal
  }
}

function refusalOf(state: Closed, { timeZone, overUrl }: DoorSettings): AccessRefused {
  const isOver = state.name === 'over'
  const title = inEachLanguage(({ doors }) => (isOver ? doors.overTitle : doors.notOpenYetTitle))
  const text = inEachLanguage(({ doors }, language) =>
    isOver ? doors.over : fill(doors.notOpenYet, { time: timeText(language, state.opensAtSeconds, timeZone) }),
  )
  const link =
    isOver && overUrl !== null ? { href: overUrl, text: inEachLanguage(({ doors }) => doors.more) } : undefined
  const ofAll = { title, reason: state.name }
  const explanation = { text, ofAll, ...(link && { link }) }
  return { ok: false, reason: 'not-entitled', code: state.name, explanation }
}
