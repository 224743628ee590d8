import { type EntryPoint, isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import type { EntryPoints } from '../../settings/chosen-entry-point.ts'
import type { EventTimes } from '../../settings/event-times.ts'

/** The end of a view that goes on without a return of the viewer. */
export interface PlaysUntil {
  /** UNIX time in seconds; infinite if the protocol has no end. */
  readonly seconds: number
  readonly entryPoint: string
  /** True if the response never expires, false if the player reads its answer only once, as a token. */
  readonly isResponse: boolean
}

/**
 * Returns the end of a view without a return, at the entry point with the latest end, by the settings as they are now.
 * Null without an entry point.
 * @param answeredAtSeconds UNIX time of the last answer.
 */
export function playsUntil(
  entryPoints: EntryPoints,
  answeredAtSeconds: number,
  nowSeconds: number,
  events: readonly EventTimes[],
): PlaysUntil | null {
  const all = entryPoints.map((entryPoint): PlaysUntil => {
    const isResponse = isHashEntryPoint(entryPoint)
    const seconds =
      isResponse && entryPoint.lifetimeSeconds > 0 ? answeredAtSeconds + entryPoint.lifetimeSeconds : Infinity
    const ends = isResponse ? endsOf(entryPoint, nowSeconds, events) : []
    return { seconds: Math.min(seconds, ...ends), entryPoint: entryPoint.name, isResponse }
  })
  return all.toSorted((one, other) => (one.seconds < other.seconds ? 1 : -1))[0] ?? null
}

/**
 * Returns the UNIX times at which an open event ends every response. An event that is not open ends none: an operator may
 * have moved it, and responses of before live on.
 */
function endsOf(entryPoint: EntryPoint, nowSeconds: number, events: readonly EventTimes[]): number[] {
  return events.flatMap((event) => {
    const state = event.stateAt(entryPoint, nowSeconds)
    return state.name === 'open' ? (state.endsAtSeconds ?? []) : []
  })
}

/** Returns a function that writes a time as `20:41 GMT+1`, with its day unless it is today, in the zone of this machine. */
export function openClock(nowSeconds: number): (seconds: number) => string {
  const timeZone = machineTimeZone()
  // A format takes much memory.
  const dayOf = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric', month: 'short' })
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
  const today = dayOf.format(nowSeconds * 1000)
  return (seconds) => {
    const [day, text] = [dayOf, time].map((format) => format.format(seconds * 1000))
    return day === today ? `${text}` : `${day}, ${text}`
  }
}
