/** A person who may watch, with the current values of the store. */
export interface Viewer {
  /** In the spelling of the store, NFC. The player gets this spelling, whatever the viewer typed. */
  readonly username: string
  readonly groups: readonly string[]
  /** Free attributes, any of which `HASH_PARAMETERS` can send. */
  readonly attributes: Readonly<Record<string, string>>
}

export type Authentication =
  | { readonly ok: true; readonly viewer: Viewer }
  | { readonly ok: false; readonly reason: 'wrong-credentials' | RefusalAfterPassword }

/**
 * Why a viewer with the right password is refused. A guesser never sees these. `expired-password` also means a password
 * that must be changed first, in the system of the account.
 */
export type RefusalAfterPassword = 'disabled' | 'expired-password'

/** The users, as the login screens need them. `open-user-store.ts` lists the stores. */
export interface UserStore {
  /**
   * Called before a sign-in, so that a refusal under overload costs nothing. Absent if the store does not hash.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  assertRoom?(): void
  /**
   * An unknown name and a wrong password give the same answer, in the same time. Other refusals need the right password.
   * The password is compared exactly as given. Any two strings are allowed: none makes it throw.
   * @throws UpstreamError when the store cannot be reached.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  authenticate(username: string, password: string): Promise<Authentication>
  /**
   * Returns the viewer; null if unknown or disabled. Absent if the store cannot look up a viewer without a password: a
   * session then lasts its whole lifetime.
   * @throws UpstreamError when the store cannot be reached.
   */
  find?(username: string): Promise<Viewer | null>
  /**
   * Resolves when the store can answer: for readiness.
   * @throws UpstreamError when it cannot.
   */
  checkHealth(): Promise<void>
  /** Afterwards every call throws an UpstreamError. A second close does nothing. */
  close(): Promise<void>
}

/** Called with a warning that does not fail the sign-in. */
export type Warn = (message: string, cause?: unknown) => void
