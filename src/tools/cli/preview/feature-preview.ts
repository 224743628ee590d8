import type { Config } from '../../../config.ts'
import type { Feature, OpenFeature } from '../../../login/feature.ts'
import type { AppParts } from '../../../login/service.ts'
import type { HasScenes, NamedScenes } from './screen.ts'

/** Loads the scenes of all features that have some. */
export async function loadScenes(features: readonly HasScenes[]): Promise<readonly NamedScenes[]> {
  const loaded = features.map(async ({ name, scenes }) =>
    scenes === undefined ? [] : [{ name, scenes: await scenes() }],
  )
  return (await Promise.all(loaded)).flat()
}

/**
 * Returns a feature that opens without a server. It has nothing to do if it has no scenes.
 * @param onOpen called with the name of a feature that has something to do.
 */
export function withoutServers(
  feature: Feature,
  all: readonly NamedScenes[],
  config: Config,
  onOpen: (name: string) => void,
): Feature {
  const { scenes } = all.find(({ name }) => name === feature.name) ?? {}
  const open = (services: AppParts, _entryPoints: unknown, shared: unknown): Promise<OpenFeature | null> => {
    const opened = scenes?.open(services, config, shared) ?? null
    if (opened !== null) onOpen(feature.name)
    return Promise.resolve(opened)
  }
  return { ...feature, needs: {}, open }
}
