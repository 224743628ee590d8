import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { UpstreamError } from '../../../errors.ts'
import { boundedFetch } from './bounded-fetch.ts'

export type ProviderKeys = ReturnType<typeof createProviderKeys>

/** Fixed, and without those of a shared secret: the token does not choose how it is checked. */
const WITH_KEY_PAIR = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519|ML-DSA-(44|65|87))$/
const LONGEST_AGE_MS = 300_000
const PAUSE_MS = 2_000

/**
 * @param listed the algorithms of ID tokens in the discovery document.
 * @param timeoutSeconds for each reading.
 */
export function createProviderKeys(address: string, listed: readonly string[] = ['RS256'], timeoutSeconds: number) {
  const limits = { timeoutDuration: timeoutSeconds * 1000, cacheMaxAge: LONGEST_AGE_MS }
  // Reads the keys when a token needs them, again after five minutes, or for an unknown key.
  const read = createRemoteJWKSet(new URL(address), { [customFetch]: fetchAfterPause(), ...limits })
  // For ID tokens and logout tokens.
  return { read, algorithms: listed.filter((algorithm) => WITH_KEY_PAIR.test(algorithm)) }
}

/**
 * Returns a fetch that refuses for two seconds after each request. After a success, jose waits longer by itself: the pause
 * limits the requests that forged tokens cause while the keys cannot be read.
 */
function fetchAfterPause(): typeof boundedFetch {
  let askedAtMs = Number.NEGATIVE_INFINITY
  return async (url, options) => {
    // The clock of jose, which may be set back.
    if (Math.abs(Date.now() - askedAtMs) < PAUSE_MS) throw new Error('The keys could not be read two seconds ago')
    askedAtMs = Date.now()
    return await boundedFetch(url, options)
  }
}

/**
 * Checks the signature of a token, and its claims by the options. Keys without an id cannot be told apart: each is tried,
 * and they are read once more if none fits, because the provider may have a new one.
 * @throws an error of jose.
 */
export async function verifyToken(
  token: string,
  { read, algorithms }: ProviderKeys,
  options: Omit<JWTVerifyOptions, 'algorithms'>,
): Promise<JWTVerifyResult> {
  const verify = () => verifyWithEach(token, read, { ...options, algorithms })
  try {
    return await verify()
  } catch (error) {
    const isUnfit = error instanceof errors.JWSSignatureVerificationFailed
    // Forged tokens cause one request in thirty seconds.
    if (!isUnfit || read.coolingDown || decodeProtectedHeader(token).kid !== undefined) throw error
    await read.reload()
    return await verify()
  }
}

async function verifyWithEach(
  token: string,
  keys: ProviderKeys['read'],
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const candidates: CryptoKey[] = []
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) candidates.push(key)
  }
  for (const key of candidates) {
    try {
      return await jwtVerify(token, key, options)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

/**
 * Returns why a token is refused, without any value of it.
 * @throws UpstreamError if the fault is not in the token.
 */
export function tokenFault(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return `claim-${error.claim}`
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'header-alg'
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown-key'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong-signature'
  const isMalformed = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSENotSupported].some(
    (Fault) => error instanceof Fault,
  )
  if (isMalformed) return 'malformed'
  throw new UpstreamError('sso-provider', 'The keys of the identity provider cannot be read', { cause: error })
}
