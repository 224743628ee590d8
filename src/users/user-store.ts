import type { QueueLoad } from '../server/work-queue.ts'

/** A person who may watch, with the current values of the store. */
export interface Viewer {
  /** In the spelling of the store, NFC. The player gets this spelling, whatever the viewer typed. */
  readonly username: string
  readonly groups: readonly string[]
  /** Further attributes by name. `HASH_PARAMETERS` can send any of them. */
  readonly attributes: Readonly<Record<string, string>>
  /** Changes with the password. Absent in a store without hashes. Never sent to a browser. */
  readonly passwordVersion?: string
}

export type Authentication =
  | { readonly ok: true; readonly viewer: Viewer }
  | {
      readonly ok: false
      readonly reason: 'wrong-credentials' | RefusalAfterPassword
      /**
       * The name in the store, if the typed name is another name of the same viewer. For the limits on guessing only,
       * also with a wrong password: never show or log it.
       */
      readonly storedName?: string
    }

/**
 * The reason for refusing a viewer after the right password; without it, the reason is never shown. `expired-password`
 * also means a password that must be changed first, in the system of the account.
 */
export type RefusalAfterPassword = 'disabled' | 'expired-password'

/** A viewer as the command line shows it. It never has a password hash. */
export interface ViewerState {
  readonly viewer: Viewer & { readonly disabled: boolean }
  /** False for a viewer who has not set the first password yet. */
  readonly hasPassword: boolean
  /** Null for a viewer without an invitation. */
  readonly invitation: {
    /** UNIX time in seconds. */
    readonly expiresAtSeconds: number
    /** False if a command was stopped before it sent the link. */
    readonly isSent: boolean
  } | null
}

/** Viewers, as the login screens need them. Each function throws an UpstreamError when the store cannot be reached. */
export interface UserStore {
  /**
   * Checks that the store can take another sign-in, so that a refusal costs nothing. Absent without hashed passwords.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  assertCapacity?(): void
  /** Returns how many passwords are being checked, and how many wait. Absent without hashed passwords. */
  hashingQueue?(): QueueLoad
  /**
   * Checks a password. An unknown name and a wrong password give the same reason, in the same time. Other refusals need
   * the right password. The password is compared exactly as given. Accepts any two strings.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  authenticate(username: string, password: string): Promise<Authentication>
  /**
   * Returns the viewer; null if unknown or disabled. Absent if the store cannot look up a viewer without a password: a
   * session then lasts its whole lifetime.
   */
  find?(username: string): Promise<Viewer | null>
  /**
   * Returns the enabled viewer with this mail address in an attribute, as `find` does; null if there is none, `several` if
   * there are more. Finds the viewer by an index. Absent if the store cannot do so.
   * @param attribute one for which `faultInLookup` of the kind of store returns null.
   * @param address canonical: ASCII, in lower case. The store may have the address in upper case too.
   */
  findByAddress?(attribute: string, address: string): Promise<Viewer | 'several' | null>
  /**
   * Returns the state of a viewer, disabled or not, for the command line; null if unknown. Absent if the store cannot
   * tell a disabled viewer from an unknown one.
   */
  inspect?(username: string): Promise<ViewerState | null>
  /** True without any viewer, as in a new or wrong file. Absent if the store cannot tell. */
  isEmpty?(): boolean
  /** Returns the UNIX time of the store, in seconds. Absent for a store without a clock that all copies of the app share. */
  nowSeconds?(): Promise<number>
  /** Resolves when the store can answer: for readiness. */
  checkHealth(): Promise<void>
  /** Closes the store. Every later call throws an UpstreamError, except a second close, which does nothing. */
  close(): Promise<void>
}

/** Called with a warning that does not fail the sign-in. */
export type Warn = (message: string, cause?: unknown) => void
