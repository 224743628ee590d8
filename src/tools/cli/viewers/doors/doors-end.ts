import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'

/** Returns the UNIX time at which the doors of an entry point end every response. Null without an end. */
export function doorsEnd({ features }: Pick<EntryPoint, 'features'>, nowSeconds: number): number | null {
  const doors = features.doors as DoorSettings | undefined
  if (doors === undefined) return null
  const state = doorState(doors.windows, nowSeconds)
  // Responses of an earlier window ended with it.
  return state.name === 'open' ? state.endsAtSeconds : nowSeconds
}
