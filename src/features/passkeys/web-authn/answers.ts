import { z } from 'zod'
import type { NewPasskey } from '../../../users/passkeys/passkey-store.ts'

/** This app, as authenticators know it. */
export interface RelyingParty {
  /** The host of PUBLIC_URL, or of another address of this app. A passkey works for this host alone. */
  readonly id: string
  /** The origin of the same address. */
  readonly origin: string
  /** True if a password comes first: a touch is enough, and the app names the passkeys of the user. */
  readonly isSecondStep?: boolean
}

/** The reason to refuse an answer of an authenticator, for the log. */
export type Fault =
  | 'wrong-challenge'
  | 'wrong-origin'
  | 'wrong-rp-id'
  | 'in-a-frame'
  | 'user-not-verified'
  | 'counter-went-back'
  | 'backup-flag-changed'
  | 'wrong-user'
  | 'wrong-signature'
  | 'unreadable'

export type SignInCheck =
  | { readonly ok: true; readonly counter: number; readonly isBackedUp: boolean }
  | { readonly ok: false; readonly fault: Fault }

export type CreationCheck =
  | { readonly ok: true; readonly passkey: Omit<NewPasskey, 'name' | 'createdAtSeconds'> }
  | { readonly ok: false; readonly fault: Fault }

const Text = z.string().min(1).max(6000)
const Id = z.string().regex(/^[A-Za-z0-9_-]{1,1364}$/)

/** The fields that `public/passkeys.js` posts, in base64url. */
export const SignInAnswer = z.object({
  id: Id,
  clientData: Text,
  authenticatorData: Text,
  signature: Text,
  userHandle: z.string().max(200),
})
export const CreationAnswer = z.object({
  id: Id,
  clientData: Text,
  attestation: Text,
  /** Separated by commas. Unknown names are left out. */
  transports: z.string().max(200),
})

export type SignInAnswer = z.output<typeof SignInAnswer>
export type CreationAnswer = z.output<typeof CreationAnswer>

/** ES256, RS256 and EdDSA (RFC 9053), which every authenticator can use at least one of. */
export const ALGORITHMS = [-7, -257, -8]
