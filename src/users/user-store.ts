/** A person who may watch, as the store knows them now. */
export interface Viewer {
  /** As the store spells it, NFC: this is what the player learns, whatever the case it was typed in. */
  readonly username: string
  readonly groups: readonly string[]
  /** Free attributes, any of which `HASH_PARAMETERS` can send. */
  readonly attributes: Readonly<Record<string, string>>
}

export type Authentication =
  | { readonly ok: true; readonly viewer: Viewer }
  | { readonly ok: false; readonly reason: 'wrong-credentials' | RefusalAfterPassword }

/**
 * Why a viewer who knows the password does not get in: a guesser never learns of these. An expired password, or one that
 * has to be changed first, is changed where the account comes from.
 */
export type RefusalAfterPassword = 'disabled' | 'expired-password'

/** What the login screens need of the customer's users. `open-user-store.ts` chooses the one to use. */
export interface UserStore {
  /**
   * Asked before anything is done for a sign-in: under an overload a refusal must cost next to nothing. Absent where the
   * store does not hash.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  assertRoom?(): void
  /**
   * An unknown name and a wrong password are the same answer, in the same time; every other refusal
   * only after the right password.
   * The password is compared exactly as given. Whatever the strings hold, the answer is a value, not an exception.
   * @throws UpstreamError when the store cannot be reached.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  authenticate(username: string, password: string): Promise<Authentication>
  /**
   * The viewer as known now; null for one who is gone or disabled. Absent where the backend cannot look a viewer up
   * without a password: a session then lives for its whole lifetime.
   * @throws UpstreamError when the store cannot be reached.
   */
  find?(username: string): Promise<Viewer | null>
  /**
   * Resolves when the store can answer: for readiness.
   * @throws UpstreamError when it cannot.
   */
  checkHealth(): Promise<void>
  /** Afterwards every question is an UpstreamError; closing once more does nothing. */
  close(): Promise<void>
}

/** Called with a warning that does not fail the sign-in. */
export type Warn = (message: string, cause?: unknown) => void
