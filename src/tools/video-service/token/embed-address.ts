import { appendToken, decideRef } from '../../../features/token/ref-address.ts'
import { buildViewerToken, type TokenKeys } from '../../../features/token/viewer-token/viewer-token.ts'
import type { AllowedAddress } from '../../../hash-lock/return-address.ts'

export interface EmbedKeys extends TokenKeys {
  /** Addresses of the player. A page at any other address could use the token to watch as this viewer. */
  readonly allowed: readonly AllowedAddress[]
}

/**
 * Returns the address of an embed with a token of the viewer (documentation of the service: "Embed with Token"). The
 * player of this address does not ask the login app.
 *
 * Make a new address for each page view, and never cache or log it. The service accepts it for 60 seconds, and once for
 * each component of the player.
 *
 * @param embed the address without a token.
 * @param subject the identifier of the viewer in the service's reports.
 * @param nowSeconds UNIX time in seconds.
 * @throws RangeError for an address that is not allowed. Other errors as buildViewerToken().
 */
export async function embedAddress(
  embed: string,
  subject: string,
  { allowed, ...keys }: EmbedKeys,
  nowSeconds: number,
): Promise<string> {
  const decision = decideRef(embed, allowed)
  if (!decision.ok) throw new RangeError(`The address ${decision.reason}`)
  return appendToken(decision.address, await buildViewerToken(subject, keys, nowSeconds))
}
