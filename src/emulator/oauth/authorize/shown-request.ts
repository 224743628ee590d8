import type { DatabaseSync } from 'node:sqlite'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { signingKey } from '../signing-key.ts'

/** What a page with "Allow" and "Deny" shows, and to whom. */
export interface ShownRequest {
  /** The authorization request, as `readAuthorizationRequest` wrote it down. */
  readonly query: string
  readonly userId: number
  /** Of the session in which it was shown. */
  readonly session: string
}

const AUDIENCE = 'shown-request'
const LIFETIME_SECONDS = 600
const Payload = z.object({ query: z.string(), userId: z.number(), session: z.string() })

/** A text for the page's form that binds the decision to exactly what was shown, without storing anything. */
export function sealShownRequest(database: DatabaseSync, shown: ShownRequest, nowSeconds: number): Promise<string> {
  return new SignJWT({ ...shown })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
    .sign(signingKey(database, 'shown-request'))
}

/** What was shown; null when the text is not one of ours, or was shown too long ago. */
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
