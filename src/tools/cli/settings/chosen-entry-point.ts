import { type Config, readEntryPointSettings } from '../../../config.ts'
import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { type Diagnosis, diagnoseResponse } from '../../../hash-lock/diagnosis.ts'
import type { Environment } from '../../../settings/fields.ts'

export type EntryPoints = readonly (EntryPoint & { readonly lifetimeSeconds?: number })[]

/** `secret` is that of the response; `current` also if neither secret fits. */
export type EntryPointDiagnosis = { readonly diagnosis: Diagnosis; readonly secret: 'current' | 'previous' }

/**
 * Chooses an entry point by name. Without a name: the only entry point, or the one named `default`.
 * @throws ConfigError if the settings have no such entry point.
 */
export function entryPointNamed({ entryPoints }: Pick<Config, 'entryPoints'>, name: string | undefined): EntryPoint {
  const chosen =
    entryPoints.length === 1 && name === undefined
      ? entryPoints[0]
      : entryPoints.find((entryPoint) => entryPoint.name === (name ?? 'default'))
  if (chosen !== undefined) return chosen
  const names = entryPoints.map((entryPoint) => entryPoint.name).join(', ')
  const fault = name === undefined ? 'There are several entry points' : `Unknown entry point ${JSON.stringify(name)}`
  throw new ConfigError(`${fault}. Use --entry-point with one of: ${names}.`)
}

/** Chooses an entry point with a hash. @throws ConfigError as entryPointNamed(), and for one without a hash. */
export function chosenHashEntryPoint(config: Pick<Config, 'entryPoints'>, name: string | undefined): HashEntryPoint {
  const chosen = entryPointNamed(config, name)
  if (isHashEntryPoint(chosen)) return chosen
  throw new ConfigError(
    `Entry point ${chosen.name} has no hash. Use --viewer-auth ${chosen.viewerAuth}, or another entry point.`,
  )
}

/** Returns the address of an entry point, which its lock at the service must have. */
export function addressOf(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { basePath }: Pick<EntryPoint, 'basePath'>,
): string {
  return publicUrl.origin + (basePath || '/')
}

/** Diagnoses a response with the secret of an entry point, or with its previous secret if only that one fits. */
export function diagnoseForEntryPoint(
  response: string,
  { secret, previousSecret }: HashEntryPoint,
  nowSeconds: number,
): EntryPointDiagnosis {
  const diagnosis = diagnoseResponse(response, secret, nowSeconds)
  if (diagnosis.kind !== 'wrong-secret-or-altered' || previousSecret === null) return { diagnosis, secret: 'current' }
  const previous = diagnoseResponse(response, previousSecret, nowSeconds)
  return previous.kind === 'wrong-secret-or-altered'
    ? { diagnosis, secret: 'current' }
    : { diagnosis: previous, secret: 'previous' }
}

/** Reads the entry points as they are now. Null where the settings cannot be read: not every machine has the secrets. */
export function entryPointsIn(env: Environment): EntryPoints | null {
  try {
    return readEntryPointSettings(env).entryPoints
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
