import type { KeyObject } from 'node:crypto'
import { encryptToken, signToken } from './compact-token.ts'
import type { ServiceKey } from './service-keys.ts'

/** The keys of a token: the private key of the channel or video signs, the service's public key encrypts. */
export interface TokenKeys {
  readonly contentKey: KeyObject
  readonly serviceKey: ServiceKey
}

/** The service accepts a token this long after its `iat`. */
export const TOKEN_LIFETIME_SECONDS = 60
/** `iat` is this long ago. The service refuses a future `iat`, so a clock that is ahead would lock out every viewer. */
export const CLOCK_MARGIN_SECONDS = 5

/** As for a hashed value. With a content key of 2048 bits and a service key of 4096, a token then has 1,900 characters. */
const LONGEST_SUBJECT_BYTES = 255

/** Returns why a text cannot be the identifier of a viewer, as the end of a sentence; null if it can. */
export function faultInSubject(subject: string): string | null {
  if (subject.trim() === '') return 'is empty'
  if (/\p{Cc}/u.test(subject)) return 'contains a control character'
  if (!subject.isWellFormed()) return 'contains half of a character (a lone surrogate)'
  if (Buffer.byteLength(subject) > LONGEST_SUBJECT_BYTES)
    return `is longer than ${LONGEST_SUBJECT_BYTES} bytes in UTF-8`
  return null
}

/**
 * Builds a viewer token: a JWT with `sub` and `iat`, signed with the key of the channel or video, then encrypted with
 * the service's key (documentation of the service: "Viewer authentication API v2"). Each component of the player
 * accepts a token once, within 60 seconds.
 *
 * A content key of 2048 bits takes about 0.35 ms in a thread of Node's pool, one of 4096 bits about 2 ms. The rest takes
 * about 0.2 ms of the main thread. `jose` is slower, because it passes each token between threads several times.
 *
 * @param subject the identifier of the viewer in the service's reports.
 * @param nowSeconds UNIX time in seconds.
 * @throws RangeError for a subject that faultInSubject() refuses, and for a time that is not a number.
 */
export async function buildViewerToken(
  subject: string,
  { contentKey, serviceKey }: TokenKeys,
  nowSeconds: number,
): Promise<string> {
  const fault = faultInSubject(subject)
  if (fault !== null) throw new RangeError(`The subject ${fault}`)
  const iat = Math.floor(nowSeconds) - CLOCK_MARGIN_SECONDS
  if (!Number.isSafeInteger(iat) || iat <= 0) throw new RangeError('The current time is unknown')
  return encryptToken(await signToken({ sub: subject, iat }, contentKey), serviceKey)
}
