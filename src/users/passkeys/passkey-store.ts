import { randomBytes } from 'node:crypto'
import { z } from 'zod'

/** The most passkeys of one viewer. */
export const MOST_PASSKEYS = 10

/**
 * A passkey in a row of a database, whose columns have the names of a passkey (WebAuthn Level 3). Some databases give 0 and 1
 * for booleans, or large integers as texts.
 */
export const PasskeyRow = z.object({
  /** The credential id in base64url, at most 1023 bytes. */
  id: z.string(),
  /** The public key in COSE form (RFC 9052). */
  publicKey: z.instanceof(Uint8Array).transform((bytes) => new Uint8Array(bytes)),
  /** The signature counter; 0 for authenticators without one, such as those that synchronize passkeys. */
  counter: z.coerce.number(),
  /** `multiDevice` if the passkey may be copied to other devices (backup eligible). This never changes. */
  deviceType: z.enum(['singleDevice', 'multiDevice']),
  /** True if a copy is on another device or at a provider now. */
  isBackedUp: z.coerce.boolean(),
  /** How the browser reaches the authenticator, such as `internal`, `hybrid` or `usb`. */
  transports: z.array(z.string()).readonly(),
  /** Tells the passkeys of a viewer apart, such as `Chrome on Windows`. One line. */
  name: z.string(),
  /** UNIX time in seconds. */
  createdAtSeconds: z.coerce.number(),
  /** UNIX time in whole seconds. Null before the first sign-in. */
  lastUsedAtSeconds: z.coerce.number().nullable(),
})
export type Passkey = Readonly<z.output<typeof PasskeyRow>>

/** A passkey as the browser registered it. */
export type NewPasskey = Omit<Passkey, 'lastUsedAtSeconds'>

export interface FoundPasskey {
  readonly passkey: Passkey
  /** The name of the viewer, in the spelling of the store. */
  readonly username: string
  /** The handle that the authenticator must return with this passkey. */
  readonly userHandle: string
}

/** The values of a sign-in with a passkey, after its signature was verified. */
export interface PasskeyUse extends Pick<NewPasskey, 'counter' | 'isBackedUp'> {
  /** UNIX time in seconds. */
  readonly usedAtSeconds: number
}

/**
 * - `known`: the credential id is stored already, for this viewer or another one.
 * - `too-many`: the viewer has `MOST_PASSKEYS` already.
 * - `no-viewer`: unknown or disabled.
 * - `password-changed`: the password has another version by now.
 */
export type PasskeyAddition = 'added' | 'known' | 'too-many' | 'no-viewer' | 'password-changed'

/**
 * - `counter-went-back`: the counter is not above the stored one, so the passkey may have been copied. Nothing is stored.
 * - `unknown`: the passkey was removed, or its viewer removed or disabled.
 */
export type PasskeyUseOutcome = 'recorded' | 'counter-went-back' | 'unknown'

/**
 * Keeps the passkeys of viewers, in the database of the viewers. All copies of the app share them. They end with their
 * viewer. A new password, a changed viewer and an import leave them as they are. The caller verifies signatures.
 */
export interface PasskeyStore {
  /**
   * Checks at the start that the app may store passkeys.
   * @throws ConfigError when the app lacks a permission, with what to do.
   * @throws UpstreamError when the store cannot be reached.
   */
  assertAllowed(): Promise<void>
  /**
   * Returns the user handle of a viewer for WebAuthn: 64 random bytes in base64url, the same at each call. It never
   * contains the user name (WebAuthn Level 3, 14.6.1).
   * @returns null for an unknown or disabled viewer.
   * @throws UpstreamError when the store cannot be reached.
   */
  userHandleOf(username: string): Promise<string | null>
  /**
   * Lists the passkeys of a viewer, the oldest first, also while the viewer is disabled. Empty for an unknown viewer.
   * @throws UpstreamError when the store cannot be reached.
   */
  list(username: string): Promise<readonly Passkey[]>
  /**
   * Returns the passkey with this credential id; null if unknown, or its viewer disabled. Accepts any string.
   * @throws UpstreamError when the store cannot be reached.
   */
  find(id: string): Promise<FoundPasskey | null>
  /**
   * Stores a passkey, in one step with the checks of its outcome.
   * @param username of a viewer with a user handle.
   * @param passwordVersion of the password that the viewer typed. Absent: any.
   * @throws UpstreamError when the store cannot be reached.
   */
  add(username: string, passkey: NewPasskey, passwordVersion?: string): Promise<PasskeyAddition>
  /**
   * Stores the counter, the backup state and the time of a use. Of two concurrent uses with one counter above zero, one
   * is recorded. The counter must go up, except that it may stay zero (WebAuthn Level 3, 6.1.1).
   * @throws UpstreamError when the store cannot be reached.
   */
  recordUse(id: string, use: PasskeyUse): Promise<PasskeyUseOutcome>
  /**
   * Removes a passkey of this viewer. Sessions that began with it go on.
   * @returns false if the viewer has no such passkey.
   * @throws UpstreamError when the store cannot be reached.
   */
  remove(username: string, id: string): Promise<boolean>
}

/** A store that keeps passkeys. With other stores, no entry point can have passkeys. */
export interface KeepsPasskeys {
  readonly passkeys: PasskeyStore
}

/** Returns a new user handle. */
export function newUserHandle(): string {
  return randomBytes(64).toString('base64url')
}
