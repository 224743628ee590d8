import type { EntryPoint } from '../entry-points/entry-point.ts'
import { buildAuthenticationResponse } from '../hash-lock/authentication-response.ts'
import { appendHash, type ReturnAddress } from '../hash-lock/return-address.ts'
import type { Viewer } from '../users/user-store.ts'
import { type AccessDecision, type Content, decideAccess } from './access-policy.ts'

export type Passing = { readonly ok: true; readonly location: string } | Extract<AccessDecision, { ok: false }>

/**
 * The one door through which an authenticated viewer gets a response: asks the access policy, builds, addresses.
 * @param viewer authenticated just now, or looked up again just now.
 * @param address as decided by decideReturnAddress().
 * @param nowSeconds UNIX time in seconds, fractions cut off.
 * @returns where to redirect to: the address is a credential until its expiry and belongs in no log.
 * @throws RangeError when the settings make a response that cannot be carried; nothing is passed then.
 */
export function passToPlayer(
  viewer: Viewer,
  entryPoint: EntryPoint,
  content: Content,
  address: ReturnAddress,
  nowSeconds: number,
): Passing {
  const decision = decideAccess(viewer, entryPoint, content)
  if (!decision.ok) return decision
  const { lifetimeSeconds, secret } = entryPoint
  const expiresAtSeconds = lifetimeSeconds === 0 ? null : Math.floor(nowSeconds) + lifetimeSeconds
  const response = buildAuthenticationResponse(decision.parameters, expiresAtSeconds, secret)
  return { ok: true, location: appendHash(address, response) }
}

/** Where the viewer goes who gives up (specification: "On failed authentication the `hash` parameter holds `false`"). */
export function returnWithoutResponse(address: ReturnAddress): string {
  return appendHash(address, 'false')
}
