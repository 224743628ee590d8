import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { EventState, EventWindow } from '../../../settings/event-window.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'

type AtEntryPoint = Pick<EntryPoint, 'features'>

/** The name of an event and when viewers may watch, by a feature that opens and closes it. */
export interface EventTimes {
  /** Null for an event without a name. */
  nameAt(entryPoint: Pick<EntryPoint, 'brand' | 'features'>, language: string): string | null
  /** Empty for an entry point that is always open. */
  windowsAt(entryPoint: AtEntryPoint): readonly EventWindow[]
  stateAt(entryPoint: AtEntryPoint, nowSeconds: number): EventState
  /** The name or the offset of the time zone. Null for an entry point without times. */
  zoneAt(entryPoint: AtEntryPoint): string | null
}

/** The part of a feature that tells when the event is. */
export interface HasEventTimes {
  readonly event?: Lazy<EventTimes>
}

/** Loads the times of features. Empty in a fork without such a feature: every entry point is then always open. */
export async function eventTimesOf(features: readonly HasEventTimes[]): Promise<readonly EventTimes[]> {
  return await loadAll(features.map(({ event }) => event))
}

/** Returns the times of all entry points in which viewers may watch. */
export function windowsOf(entryPoints: readonly AtEntryPoint[], events: readonly EventTimes[]): EventWindow[] {
  return entryPoints.flatMap((entryPoint) => events.flatMap(({ windowsAt }) => windowsAt(entryPoint)))
}
