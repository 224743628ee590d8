import type { EntryPoint } from '../entry-points/entry-point.ts'
import { buildAuthenticationResponse } from '../hash-lock/authentication-response.ts'
import { appendHash, type ReturnAddress } from '../hash-lock/return-address.ts'
import type { Viewer } from '../users/user-store.ts'
import { type AccessDecision, type Content, decideAccess } from './access-policy.ts'

export type PassResult = { readonly ok: true; readonly location: string } | Extract<AccessDecision, { ok: false }>

/**
 * Builds the response for an authenticated viewer, if the access policy allows it. No other function does.
 * @param viewer authenticated, or looked up again, in this request.
 * @param secret signs the response; of the entry point, as it is now.
 * @param address from decideReturnAddress().
 * @param nowSeconds UNIX time in seconds; a fraction is cut off.
 * @returns the address to redirect to. It is a credential until it expires: never log it.
 * @throws RangeError when the format cannot carry the parameters of the settings.
 */
export function passToPlayer(
  viewer: Viewer,
  entryPoint: EntryPoint,
  secret: string,
  { content, address }: { readonly content: Content; readonly address: ReturnAddress },
  nowSeconds: number,
): PassResult {
  const decision = decideAccess(viewer, entryPoint, content)
  if (!decision.ok) return decision
  const { lifetimeSeconds } = entryPoint
  const expiresAtSeconds = lifetimeSeconds === 0 ? null : Math.floor(nowSeconds) + lifetimeSeconds
  const response = buildAuthenticationResponse(decision.parameters, expiresAtSeconds, secret)
  return { ok: true, location: appendHash(address, response) }
}

/** Returns the address for a viewer who cancels, with `hash=false` (specification: "On failed authentication"). */
export function returnWithoutResponse(address: ReturnAddress): string {
  return appendHash(address, 'false')
}
