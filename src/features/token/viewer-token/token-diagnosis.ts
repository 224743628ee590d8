import type { EnvelopeCheck, TokenCheck } from './token-check.ts'
import { TOKEN_LIFETIME_SECONDS } from './viewer-token.ts'

/**
 * Describes the result of a check for a log or a terminal, without the viewer and the keys.
 * @param nowSeconds the time of the check.
 */
export function describeTokenCheck(check: TokenCheck | EnvelopeCheck, nowSeconds: number): string {
  if (check.ok) {
    if ('kid' in check) return 'The outer part is right: algorithms and key of the service.'
    const leftSeconds = check.issuedAtSeconds + TOKEN_LIFETIME_SECONDS - Math.floor(nowSeconds)
    return `Accepted for ${leftSeconds} s more, once for each component of the player.`
  }
  switch (check.reason) {
    case 'malformed':
      return 'Refused: malformed. A token has five parts in base64url with dots between them.'
    case 'not-encrypted':
      return 'Refused: signed, but not encrypted. Encrypt the signed token with the key of the service.'
    case 'other-encryption':
      return 'Refused: encrypted with other algorithms, or compressed. The service accepts RSA-OAEP with A256CBC-HS512 only.'
    case 'unknown-service-key':
      return 'Refused: its kid names no key of the service. Fetch the keys of the service again.'
    case 'wrong-service-key':
      return 'Refused: the service cannot decrypt it. It was encrypted with another key than its kid names, or altered.'
    case 'not-signed':
      return 'Refused: encrypted, but not signed. Sign the token with the private key of the channel or video first.'
    case 'other-signature':
      return 'Refused: signed with another algorithm. The service accepts RS512 only.'
    case 'wrong-signature':
      return 'Refused: the signature does not match. The channel or video has another public key, or the token was altered.'
    case 'wrong-claims':
      return 'Refused: a claim is missing, wrong or repeated. sub must be text, and iat a whole number of seconds.'
    case 'issued-in-future':
      return `Refused: issued ${check.issuedAtSeconds - Math.floor(nowSeconds)} s in the future. A clock is wrong.`
    case 'expired':
      return `Refused: issued ${Math.floor(nowSeconds) - check.issuedAtSeconds} s ago. A token is valid for ${TOKEN_LIFETIME_SECONDS} s.`
  }
}
