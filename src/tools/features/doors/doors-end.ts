import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { doorState } from '../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../features/doors/fields.ts'

/**
 * Returns the UNIX time at which open doors end every response. Null without an end, and for closed doors: an operator
 * may have moved them, and responses of before live on.
 */
export function doorsEnd({ features }: Pick<EntryPoint, 'features'>, nowSeconds: number): number | null {
  const doors = features.doors as DoorSettings | undefined
  if (doors === undefined) return null
  const state = doorState(doors.windows, nowSeconds)
  return state.name === 'open' ? state.endsAtSeconds : null
}
