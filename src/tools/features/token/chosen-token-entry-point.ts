import type { Config } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { isTokenEntryPoint, type TokenEntryPoint } from '../../../features/token/fields.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'

/** Chooses an entry point with tokens. @throws ConfigError as entryPointNamed(), and for one with a hash. */
export function chosenTokenEntryPoint(config: Pick<Config, 'entryPoints'>, name: string | undefined): TokenEntryPoint {
  const chosen = entryPointNamed(config, name)
  if (isTokenEntryPoint(chosen)) return chosen
  const names = config.entryPoints.filter(isTokenEntryPoint).map((entryPoint) => entryPoint.name)
  const advice =
    names.length === 0 ? 'This command needs one with token.' : `Use --entry-point with one of: ${names.join(', ')}.`
  throw new ConfigError(`Entry point ${chosen.name} has VIEWER_AUTH=hash. ${advice}`)
}
