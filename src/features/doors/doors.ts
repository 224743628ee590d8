import type { EventState, EventWindow } from '../../settings/event-window.ts'

/**
 * Returns the state of a door. Depends only on the time, so a corrected clock is enough.
 * A window is open from the first second on, and closed at its last.
 * @param windows none: the door is always open.
 */
export function doorState(windows: readonly EventWindow[], nowSeconds: number): EventState {
  const opensOf = ({ opensAtSeconds }: EventWindow) => opensAtSeconds ?? Number.NEGATIVE_INFINITY
  const closesOf = ({ closesAtSeconds }: EventWindow) => closesAtSeconds ?? Number.POSITIVE_INFINITY
  const open = windows.filter((one) => opensOf(one) <= nowSeconds && nowSeconds < closesOf(one))
  if (windows.length === 0 || open.length > 0) {
    const end = open.length > 0 ? Math.max(...open.map(closesOf)) : Number.POSITIVE_INFINITY
    return { name: 'open', endsAtSeconds: Number.isFinite(end) ? end : null }
  }
  const later = windows.map(opensOf).filter((seconds) => seconds > nowSeconds)
  if (later.length > 0) return { name: 'not-open-yet', opensAtSeconds: Math.min(...later) }
  return { name: 'over', endedAtSeconds: Math.max(...windows.map(closesOf)) }
}
