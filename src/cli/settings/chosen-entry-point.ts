import type { Config } from '../../config.ts'
import { type HashEntryPoint, isHashEntryPoint } from '../../entry-points/entry-point.ts'
import { ConfigError } from '../../errors.ts'

export type ChosenEntryPoint = HashEntryPoint

/**
 * Chooses an entry point by name. Without a name: the only entry point, or the one named `default`.
 * @throws ConfigError if the settings have no such entry point, or if it has no hash.
 */
export function chosenEntryPoint(
  { entryPoints }: Pick<Config, 'entryPoints'>,
  name: string | undefined,
): ChosenEntryPoint {
  const chosen =
    entryPoints.length === 1 && name === undefined
      ? entryPoints[0]
      : entryPoints.find((entryPoint) => entryPoint.name === (name ?? 'default'))
  if (chosen === undefined) {
    const names = entryPoints.map((entryPoint) => entryPoint.name).join(', ')
    const fault = name === undefined ? 'There are several entry points' : `Unknown entry point ${JSON.stringify(name)}`
    throw new ConfigError(`${fault}. Use --entry-point with one of: ${names}.`)
  }
  if (!isHashEntryPoint(chosen)) {
    throw new ConfigError(`Entry point ${chosen.name} has VIEWER_AUTH=token. This command needs one with hash.`)
  }
  return chosen
}

/** Returns the address of an entry point, which its lock at the service must have. */
export function addressOf(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { basePath }: Pick<ChosenEntryPoint, 'basePath'>,
): string {
  return publicUrl.origin + (basePath || '/')
}
