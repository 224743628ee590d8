import type { EntryPoint } from './entry-point.ts'
import type { FeatureSettings } from './feature-settings.ts'

type All = readonly EntryPoint[]

/** The entry points that the app serves. A feature may change them while the app runs. */
export type ServedEntryPoints = ReturnType<typeof createServedEntryPoints>

/** @param read reads the entry points again. It gets those that were read before, and throws ConfigError. */
export function createServedEntryPoints(features: readonly FeatureSettings[], read = (before: All): All => before) {
  const listeners: ((all: All) => void)[] = []
  return {
    features,
    read,
    /** Calls the listener with all entry points when they change. If it throws, the entry points stay as they were. */
    onServe: (listener: (all: All) => void) => void listeners.push(listener),
    serve(all: All): void {
      for (const listener of listeners) listener(all)
    },
  }
}
