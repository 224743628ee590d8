import type { HashEntryPoint } from '../entry-points/entry-point.ts'
import type { TokenIssuer } from '../features/token/issuer/token-issuers.ts'
import { buildAuthenticationResponse } from '../hash-lock/authentication-response.ts'
import { appendHash, appendToken, type ReturnAddress } from '../hash-lock/return-address.ts'
import type { AccessGranted } from './access-decision.ts'

/**
 * Builds the response for an authenticated viewer, at an entry point with a hash. No other function does.
 * @param granted from askAccessPolicy(), in this request.
 * @param secret signs the response; of the entry point, as it is now.
 * @param address from decideReturnAddress().
 * @param nowSeconds UNIX time in seconds; a fraction is cut off.
 * @returns the address to redirect to. It is a credential until it expires: never log it.
 * @throws RangeError when the format cannot carry the parameters.
 */
export function passToPlayer(
  { parameters }: AccessGranted,
  { lifetimeSeconds }: Pick<HashEntryPoint, 'lifetimeSeconds'>,
  secret: string,
  address: ReturnAddress,
  nowSeconds: number,
): string {
  const expiresAtSeconds = lifetimeSeconds === 0 ? null : Math.floor(nowSeconds) + lifetimeSeconds
  return appendHash(address, buildAuthenticationResponse(parameters, expiresAtSeconds, secret))
}

/**
 * Builds the token for an authenticated viewer, at an entry point with tokens. No other function does.
 * @param granted from askAccessPolicy(), in this request. Its parameter `sub` names the viewer.
 * @param address from decideRef().
 * @returns the address to redirect to. It is a credential for a minute: never log it.
 * @throws RangeError without a usable `sub`, and errors as TokenIssuer.issue().
 */
export async function passTokenToPlayer(
  { parameters }: AccessGranted,
  issuer: Pick<TokenIssuer, 'issue'>,
  address: ReturnAddress,
): Promise<string> {
  const [, subject] = parameters.find(([name]) => name === 'sub') ?? []
  if (subject === undefined) throw new RangeError('The access policy gave no parameter sub')
  return appendToken(address, await issuer.issue(subject))
}

/**
 * Returns the address for a viewer who cancels, with `hash=false` (specification: "On failed authentication"). Tokens
 * have no such signal.
 */
export function returnWithoutResponse(address: ReturnAddress): string {
  return appendHash(address, 'false')
}
