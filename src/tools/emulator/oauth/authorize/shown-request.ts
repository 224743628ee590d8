import type { DatabaseSync } from 'node:sqlite'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { signingKey } from '../signing-key.ts'

/** The request that a page with Allow and Deny shows, with its user and session. */
export interface ShownRequest {
  /** The `query` of the authorization request. */
  readonly query: string
  readonly userId: number
  /** Fingerprint of the session. */
  readonly session: string
}

const AUDIENCE = 'shown-request'
const LIFETIME_SECONDS = 600
const Payload = z.object({ query: z.string(), userId: z.number(), session: z.string() })

/** Signs the shown request for a hidden field of the form, so that nothing needs to be stored. */
export function sealShownRequest(database: DatabaseSync, shown: ShownRequest, nowSeconds: number): Promise<string> {
  return new SignJWT({ ...shown })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
    .sign(signingKey(database, 'shown-request'))
}

/** Returns the shown request; null if the signature is wrong or older than ten minutes. */
export async function openShownRequest(
  database: DatabaseSync,
  sealed: string,
  nowSeconds: number,
): Promise<ShownRequest | null> {
  try {
    const { payload } = await jwtVerify(sealed, signingKey(database, 'shown-request'), {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      requiredClaims: ['exp'],
      currentDate: new Date(nowSeconds * 1000),
    })
    return Payload.parse(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
