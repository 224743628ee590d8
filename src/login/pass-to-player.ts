import type { HashEntryPoint } from '../entry-points/entry-point.ts'
import { buildAuthenticationResponse } from '../hash-lock/authentication-response.ts'
import { appendHash, type ReturnAddress } from '../hash-lock/return-address.ts'
import type { AccessGranted } from './access-decision.ts'

/**
 * Builds the response for an authenticated viewer. No other function does.
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

/** Returns the address for a viewer who cancels, with `hash=false` (specification: "On failed authentication"). */
export function returnWithoutResponse(address: ReturnAddress): string {
  return appendHash(address, 'false')
}
