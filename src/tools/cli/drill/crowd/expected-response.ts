import { type HashParameter, isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressRules, hashSettings } from '../../../../entry-points/fields.ts'
import { readEntryPointsFile } from '../../../../entry-points/from-file.ts'
import { ConfigError } from '../../../../errors.ts'
import { features } from '../../../../features.ts'
import { checkAuthenticationResponse, parseAuthenticationResponse } from '../../../../hash-lock/check-response.ts'
import { type Environment, sentenceOf } from '../../../../settings/fields.ts'
import { readGivenSettings } from '../../../../settings/named-file.ts'
import { environmentSource } from '../../../../settings/setting.ts'

/** The properties of a right response that the settings tell. */
export interface ExpectedResponse {
  /** The secret, and the previous one during a change. If empty, only form and expiry of a response are checked. */
  readonly secrets: readonly string[]
  /** The parameters whose value is the user name. */
  readonly usernameParameters: readonly string[]
}

/**
 * Reads the secret and the parameters of the drilled entry point: from ENTRY_POINTS_FILE if it has the path, else from
 * HASH_SECRET and HASH_PARAMETERS.
 * @throws ConfigError if one of these settings is wrong.
 */
export function readExpectedResponse(environment: Environment, path: string): ExpectedResponse {
  const { given, mistakes } = readGivenSettings(environment, ['HASH_SECRET', 'HASH_SECRET_PREVIOUS'])
  if (mistakes.length > 0) throw new ConfigError(`${mistakes.join('. ')}.`)
  const rules = addressRules(null)
  if (given.ENTRY_POINTS_FILE !== undefined) {
    const file = readEntryPointsFile(given.ENTRY_POINTS_FILE, rules, features)
    if ('mistakes' in file) throw new ConfigError(`${file.mistakes.join('.\n')}.`)
    const found = file.entryPoints.filter(isHashEntryPoint).find(({ basePath }) => (basePath || '/') === path)
    return found ? expectedOf([found.secret, found.previousSecret], found.parameters) : expectedOf([], [])
  }
  if (given.HASH_SECRET === undefined) return expectedOf([], [])
  const { secret, secretPrevious, hashParameters } = hashSettings(rules)
  const refuse = (name: string, message: string): never => {
    throw new ConfigError(`${sentenceOf([name], message)}.`)
  }
  const settings = { secret, secretPrevious, hashParameters }
  const read = environmentSource(given, settings, refuse, () => {}).read(settings)
  return expectedOf([read.secret, read.secretPrevious], read.hashParameters)
}

function expectedOf(
  secrets: readonly (string | null | undefined)[],
  parameters: readonly HashParameter[],
): ExpectedResponse {
  const names = parameters.filter(({ attribute }) => attribute === 'username').map(({ name }) => name)
  return { secrets: secrets.filter((secret) => typeof secret === 'string'), usernameParameters: names }
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
  { secrets, usernameParameters }: ExpectedResponse,
  nowSeconds: number,
): string | null {
  const parts = parseAuthenticationResponse(response)
  if (parts === null) return 'the response is malformed'
  if (parts.expiresAtSeconds !== null && parts.expiresAtSeconds <= nowSeconds) return 'the response has expired already'
  const parameters = new Map(parts.parameters)
  if (usernameParameters.some((name) => !isSameName(parameters.get(name) ?? '', username))) {
    return 'the response is for another viewer'
  }
  const isSigned = secrets.some((secret) => checkAuthenticationResponse(response, secret, nowSeconds).ok)
  return secrets.length === 0 || isSigned ? null : 'the hash of the response does not match the secret of the settings'
}

/** Stores ignore case, and store names in NFC. */
function isSameName(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.trim().normalize('NFC').toLowerCase()
}
