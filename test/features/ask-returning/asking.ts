import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'

/** An entry point that asks viewers with a session. */
export function asking<E extends Pick<HashEntryPoint, 'features'> & { readonly lifetimeSeconds?: number }>(
  entryPoint: E,
): E {
  const { features, lifetimeSeconds = 0 } = entryPoint
  return { ...entryPoint, features: { ...features, 'ask-returning': { lifetimeSeconds } } }
}
