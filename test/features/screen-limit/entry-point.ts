import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { ScreenLimitSettings } from '../../../src/features/screen-limit/fields.ts'

/** Returns an entry point at which viewers have one screen, with changes. */
export function withScreenLimit<E extends EntryPoint>(entryPoint: E, changes: Partial<ScreenLimitSettings> = {}): E {
  const limit: ScreenLimitSettings = { most: 1, asks: false, lifetimeSeconds: 3600, ...changes }
  return { ...entryPoint, features: { ...entryPoint.features, 'screen-limit': limit } }
}
