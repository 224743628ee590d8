import type { HashParameter } from '../../../entry-points/entry-point.ts'
import { addressFields, DEFAULT_PARAMETERS, HashParameters } from '../../../entry-points/fields.ts'
import { readEntryPointsFile } from '../../../entry-points/from-file.ts'
import { ConfigError } from '../../../errors.ts'
import { checkAuthenticationResponse, parseAuthenticationResponse } from '../../../hash-lock/authentication-response.ts'
import { type Environment, sentenceOf } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'
import { Secret } from '../../../settings/secret.ts'

/** What a right response has, as far as the settings say. */
export interface ExpectedResponse {
  /** Null if the settings do not name it. Then only the form and the expiry of a response are checked. */
  readonly secret: string | null
  /** The parameters whose value is the user name. */
  readonly usernameParameters: readonly string[]
}

/**
 * Reads the secret and the parameters of the drilled entry point: from ENTRY_POINTS_FILE if it has the path, else from
 * HASH_SECRET and HASH_PARAMETERS.
 * @throws ConfigError if one of these settings is wrong.
 */
export function readExpectedResponse(environment: Environment, path: string): ExpectedResponse {
  const { given, mistakes } = readGivenSettings(environment, ['HASH_SECRET'])
  if (mistakes.length > 0) throw new ConfigError(`${mistakes.join('. ')}.`)
  if (given.ENTRY_POINTS_FILE !== undefined) {
    const file = readEntryPointsFile(given.ENTRY_POINTS_FILE, addressFields(null))
    if ('mistakes' in file) throw new ConfigError(`${file.mistakes.join('.\n')}.`)
    const found = file.entryPoints.find(({ basePath }) => (basePath || '/') === path)
    return found ? expectedOf(found.secret, found.parameters) : expectedOf(null, [])
  }
  if (given.HASH_SECRET === undefined) return expectedOf(null, [])
  const secret = Secret.safeParse(given.HASH_SECRET)
  const parameters = HashParameters.safeParse(given.HASH_PARAMETERS ?? 'user=username')
  for (const [name, parsed] of [['HASH_SECRET', secret] as const, ['HASH_PARAMETERS', parameters] as const]) {
    if (!parsed.success) throw new ConfigError(`${sentenceOf([name], parsed.error.issues[0]?.message ?? 'is wrong')}.`)
  }
  return expectedOf(secret.data ?? null, parameters.data ?? DEFAULT_PARAMETERS)
}

function expectedOf(secret: string | null, parameters: readonly HashParameter[]): ExpectedResponse {
  const names = parameters.filter(({ attribute }) => attribute === 'username').map(({ name }) => name)
  return { secret, usernameParameters: names }
}

/** Returns the response in the address of a redirect. Null if there is none, and for `hash=false`. */
export function responseIn(location: string | null): string | null {
  if (location === null || !URL.canParse(location)) return null
  const response = new URL(location).searchParams.get('hash')
  return response === 'false' ? null : response
}

/** Returns what is wrong with a response, without a value of it. Null for a right response. */
export function faultInResponse(
  response: string,
  username: string,
  { secret, usernameParameters }: ExpectedResponse,
  nowSeconds: number,
): string | null {
  const parts = parseAuthenticationResponse(response)
  if (parts === null) return 'the response is malformed'
  if (parts.expiresAtSeconds !== null && parts.expiresAtSeconds <= nowSeconds) return 'the response has expired already'
  const parameters = new Map(parts.parameters)
  if (usernameParameters.some((name) => !isSameName(parameters.get(name) ?? '', username))) {
    return 'the response is for another viewer'
  }
  if (secret === null || checkAuthenticationResponse(response, secret, nowSeconds).ok) return null
  return 'the hash of the response does not match the secret of the settings'
}

/** Stores ignore case, and store names in NFC. */
function isSameName(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.trim().normalize('NFC').toLowerCase()
}
