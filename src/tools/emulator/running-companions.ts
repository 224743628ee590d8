import type { Companion, CompanionDeps, CompanionOptions, RunningCompanion } from './companion.ts'
import { loadParts } from './load-parts.ts'

/** The servers that run beside the emulated service. */
export const COMPANIONS = await loadParts<Companion>(import.meta.url, 'companion')

/** Starts the companions that have a port. If one cannot start, closes those that did. */
export async function startCompanions(
  { ports, loginUrl }: CompanionOptions,
  deps: CompanionDeps,
): Promise<RunningCompanion[]> {
  const running: RunningCompanion[] = []
  try {
    for (const companion of COMPANIONS) {
      const port = ports[companion.name]
      if (port !== undefined) running.push(await companion.start({ port, loginUrl }, deps))
    }
  } catch (error) {
    await closeCompanions(running)
    throw error
  }
  return running
}

export async function closeCompanions(companions: readonly RunningCompanion[]): Promise<void> {
  await Promise.all(companions.map(({ close }) => close()))
}
