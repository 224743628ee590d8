import { entryPointSources } from '../../../../config.ts'
import type { HashParameter } from '../../../../entry-points/entry-point.ts'
import { addressRules, hashSettings } from '../../../../entry-points/fields.ts'
import { ConfigError } from '../../../../errors.ts'
import { checkAuthenticationResponse, parseAuthenticationResponse } from '../../../../hash-lock/check-response.ts'
import type { Environment } from '../../../../settings/fields.ts'

/** The properties of a right response that the settings tell. */
export interface ExpectedResponse {
  /** The secret, and the previous one during a change. If empty, only form and expiry of a response are checked. */
  readonly secrets: readonly string[]
  /** The parameters whose value is the user name. */
  readonly usernameParameters: readonly string[]
  /**
   * Reasons for which the app may keep viewers with the right password from the player. Each returns the time, in
   * milliseconds since the start, at which the viewer tries again. Null: the viewer leaves.
   */
  readonly holds?: Readonly<Record<string, () => number | null>>
}

/**
 * Reads the secret and the parameters of the drilled entry point, if the settings have them.
 * @throws ConfigError if one of these settings is wrong.
 */
export function readExpectedResponse(environment: Environment, path: string): ExpectedResponse {
  const { sources, mistakes } = entryPointSources(environment)
  const found = sources.find(({ name }) => path === `/e/${name}`) ?? sources.find(({ name }) => name === 'default')
  const { secret, secretPrevious, hashParameters } = hashSettings(addressRules(null))
  const read = found?.source.has('secret') ? found.source.read({ secret, secretPrevious, hashParameters }) : null
  if (mistakes.length > 0) throw new ConfigError(`${mistakes.join('.\n')}.`)
  return read ? expectedOf([read.secret, read.secretPrevious], read.hashParameters) : expectedOf([], [])
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

/** Returns the end of the response in the address of a redirect, as UNIX time in seconds. Undefined without a response. */
export function endOfResponse(location: string | null): number | null | undefined {
  const response = responseIn(location)
  return response === null ? undefined : (parseAuthenticationResponse(response)?.expiresAtSeconds ?? null)
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
