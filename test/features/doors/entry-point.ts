import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { DoorSettings } from '../../../src/features/doors/fields.ts'

/** Returns the settings of doors that are always open, with changes. */
export function doorSettings(changes: Partial<DoorSettings> = {}): DoorSettings {
  return {
    windows: [],
    timeZone: 'UTC',
    overUrl: null,
    message: null,
    file: null,
    hasWaitingRoom: false,
    lifetimeSeconds: 0,
    ...changes,
  }
}

/** Returns an entry point with doors. */
export function withDoors<E extends EntryPoint>(entryPoint: E, changes: Partial<DoorSettings>): E {
  return { ...entryPoint, features: { ...entryPoint.features, doors: doorSettings(changes) } }
}
