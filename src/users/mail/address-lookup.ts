import type { Viewer } from '../user-store.ts'

/** Returns the only viewer of a list, as `findByAddress` does. */
export function ownerIn([viewer, other]: readonly Viewer[]): Viewer | 'several' | null {
  return other === undefined ? (viewer ?? null) : 'several'
}
