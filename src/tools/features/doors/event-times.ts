import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { doorState } from '../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../features/doors/fields.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'

/** The times of doors. */
export const doorTimes: EventTimes = {
  windowsAt: (entryPoint) => doorsOf(entryPoint)?.windows ?? [],
  stateAt: (entryPoint, nowSeconds) => doorState(doorsOf(entryPoint)?.windows ?? [], nowSeconds),
  zoneAt: (entryPoint) => doorsOf(entryPoint)?.timeZone ?? null,
}

function doorsOf({ features }: Pick<EntryPoint, 'features'>): DoorSettings | undefined {
  return features.doors as DoorSettings | undefined
}
