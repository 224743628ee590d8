import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import type { EntryPoints } from '../../settings/entry-points-in.ts'
import type { ViewerFacts } from '../viewer-facts.ts'

/** The end of a view that goes on without a return of the viewer. */
export interface PlaysUntil {
  /** UNIX time in seconds; infinite if the protocol has no end. */
  readonly seconds: number
  readonly entryPoint: string
  /** True if the response never expires, false if the player reads its answer only once, as a token. */
  readonly isResponse: boolean
}

/** The features that may end responses of an entry point. */
type Ends = readonly Pick<ViewerFacts, 'endOf'>[]

/**
 * Returns the end of a view without a return, at the entry point with the latest end, by the settings as they are now.
 * Null without an entry point.
 * @param answeredAtSeconds UNIX time of the last answer.
 */
export function playsUntil(
  entryPoints: EntryPoints,
  answeredAtSeconds: number,
  nowSeconds: number,
  features: Ends,
): PlaysUntil | null {
  const all = entryPoints.map((entryPoint): PlaysUntil => {
    const isResponse = isHashEntryPoint(entryPoint)
    const seconds =
      isResponse && entryPoint.lifetimeSeconds > 0 ? answeredAtSeconds + entryPoint.lifetimeSeconds : Infinity
    const ends = isResponse ? features.flatMap((one) => one.endOf?.(entryPoint, nowSeconds) ?? []) : []
    return { seconds: Math.min(seconds, ...ends), entryPoint: entryPoint.name, isResponse }
  })
  return all.toSorted((one, other) => (one.seconds < other.seconds ? 1 : -1))[0] ?? null
}

/** Returns a function that writes a time as `20:41 GMT+1`, with its day unless it is today, in the zone of this machine. */
export function openClock(nowSeconds: number): (seconds: number) => string {
  const timeZone = machineTimeZone().name
  // A format takes much memory.
  const dayOf = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric', month: 'short' })
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
  const today = dayOf.format(nowSeconds * 1000)
  return (seconds) => {
    const [day, text] = [dayOf, time].map((format) => format.format(seconds * 1000))
    return day === today ? `${text}` : `${day}, ${text}`
  }
}
