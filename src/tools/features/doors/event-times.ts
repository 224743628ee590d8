import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { doorState } from '../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../features/doors/fields.ts'
import { ownNameOf } from '../../../services/event/service.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'

/** Returns the name of an entry point, and that of its event: `gold (Annual meeting)`. */
export function nameWithEvent(entryPoint: EntryPoint): string {
  const event = ownNameOf(entryPoint, 'en')
  return event === null ? entryPoint.name : `${entryPoint.name} (${event})`
}

/** The name of an event with doors, and its times. */
export const doorTimes: EventTimes = {
  nameAt: ownNameOf,
  windowsAt: (entryPoint) => doorsOf(entryPoint)?.windows ?? [],
  stateAt: (entryPoint, nowSeconds) => doorState(doorsOf(entryPoint)?.windows ?? [], nowSeconds),
  zoneAt: (entryPoint) => doorsOf(entryPoint)?.timeZone ?? null,
}

function doorsOf({ features }: Pick<EntryPoint, 'features'>): DoorSettings | undefined {
  return features.doors as DoorSettings | undefined
}
