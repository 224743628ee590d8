import { titleIn } from '../../brand/brand.ts'
import { fill } from '../../languages/languages.ts'
import type { AccessRefused } from '../../login/answer/access-decision.ts'
import { inEachLanguage } from '../../login/answer/policy-text.ts'
import { eventNamesOf, type Named } from '../../services/event/service.ts'
import type { EventState } from '../../settings/event-window.ts'
import { timeText } from '../../settings/times.ts'
import { doorState } from './doors.ts'
import type { DoorSettings } from './fields.ts'

/** `code` of a refusal is the state of the door. Null for a door that stays open. */
export type DoorDecision = AccessRefused | { readonly ok: true; readonly endsAtSeconds: number } | null

type DoorGate = () => DoorDecision
type Closed = Exclude<EventState, { name: 'open' }>

/**
 * Creates the gate of an entry point. It lets viewers pass while the door is open, and ends their answers with it.
 * @param doorsNow returns the doors as they are now: an operator may move them.
 * @param nowSeconds UNIX time in seconds.
 */
export function createGate(entryPoint: Named, doorsNow: () => DoorSettings, nowSeconds: () => number): DoorGate {
  let last: { readonly key: string; readonly refusal: AccessRefused } | null = null
  return () => {
    const doors = doorsNow()
    const state = doorState(doors.windows, nowSeconds())
    if (state.name === 'open') {
      return state.endsAtSeconds === null ? null : { ok: true, endsAtSeconds: state.endsAtSeconds }
    }
    const today = timeText('en', nowSeconds(), doors.timeZone, 'day')
    // Thousands may wait for the same time.
    const key = JSON.stringify([state, today, doors.timeZone, doors.overUrl, doors.message])
    if (last?.key !== key) last = { key, refusal: refusalOf(state, doors, today, entryPoint) }
    return last.refusal
  }
}

function refusalOf(state: Closed, doors: DoorSettings, today: string, entryPoint: Named): AccessRefused {
  const { timeZone, overUrl, message } = doors
  const isOver = state.name === 'over'
  const title = inEachLanguage(({ doors }) => (isOver ? doors.overTitle : doors.notOpenYetTitle))
  const text = inEachLanguage(({ doors: { opensToday, notOpenYet } }, language) => {
    if (isOver) return ''
    const { opensAtSeconds: opens } = state
    if (timeText('en', opens, timeZone, 'day') !== today)
      return fill(notOpenYet, { time: timeText(language, opens, timeZone) })
    return fill(opensToday, { time: timeText(language, opens, timeZone, 'clock') })
  })
  const link =
    isOver && overUrl !== null ? { href: overUrl, text: inEachLanguage(({ doors }) => doors.more) } : undefined
  const next = isOver ? null : inEachLanguage(({ doors }) => doors.checkAgain)
  const announcement = isOver
    ? ''
    : inEachLanguage((_texts, language) => titleIn(message, language, entryPoint.brand) ?? '')
  const ofAll = { title, reason: state.name, event: eventNamesOf(entryPoint), announcement, next }
  const explanation = { text, ofAll, ...(link && { link }) }
  return { ok: false, reason: 'not-entitled', code: state.name, explanation }
}
