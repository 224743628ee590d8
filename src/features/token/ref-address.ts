import {
  type AllowedAddress,
  appendAnswer,
  decideAddress,
  type ReturnAddress,
  type ReturnDecision,
} from '../../hash-lock/return-address.ts'

/** The parameter that answers the player. */
export const TOKEN_PARAMETER = 'vt'

/**
 * Decides where a token goes: to `ref`, the address of the player, if it is on the allow-list. The rules are those of
 * decideReturnAddress().
 * @param ref as received, percent-decoded once; undefined if absent.
 * @returns for a refusal, the end of a sentence that starts with "ref". Never redirect to a refused address.
 */
export function decideRef(ref: string | undefined, allowed: readonly AllowedAddress[]): ReturnDecision {
  return ref === undefined ? { ok: false, reason: 'is missing' } : decideAddress(ref, TOKEN_PARAMETER, allowed)
}

/** Appends `vt`. @param address from decideRef(). */
export function appendToken(address: ReturnAddress, token: string): string {
  return appendAnswer(address, TOKEN_PARAMETER, token)
}
