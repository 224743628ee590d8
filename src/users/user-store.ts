import type { QueueLoad } from '../server/work-queue.ts'
import type { PasskeyStore } from './passkey-store.ts'

/** A person who may watch, with the current values of the store. */
export interface Viewer {
  /** In the spelling of the store, NFC. The player gets this spelling, whatever the viewer typed. */
  readonly username: string
  readonly groups: readonly string[]
  /** Further attributes by name. `HASH_PARAMETERS` can send any of them. */
  readonly attributes: Readonly<Record<string, string>>
}

export type Authentication =
  | { readonly ok: true; readonly viewer: Viewer }
  | {
      readonly ok: false
      readonly reason: 'wrong-credentials' | RefusalAfterPassword
      /**
       * The name of the viewer in the store, if the typed name is another name of the same viewer. For the limits on
       * guessing only, also with a wrong password: never show or log it.
       */
      readonly storedName?: string
    }

/**
 * The reason for refusing a viewer after the right password; without it, the reason is never shown. `expired-password`
 * also means a password that must be changed first, in the system of the account.
 */
export type RefusalAfterPassword = 'disabled' | 'expired-password'

/** A link by which a viewer sets a password without the old one. */
export interface NewPasswordLink {
  readonly purpose: 'reset' | 'invitation'
  /** A hash of the token in the link. The token itself is never stored. */
  readonly digest: string
  /** UNIX time in seconds. */
  readonly expiresAtSeconds: number
}

export interface FoundPasswordLink extends Pick<NewPasswordLink, 'purpose'> {
  readonly viewer: Viewer
}

/**
 * Lets viewers set their own passwords. All copies of the app share the links. A new password deletes every link of its
 * viewer. The caller checks the rules for new passwords.
 */
export interface PasswordChanges {
  /**
   * Checks at the start that the app may store links and passwords.
   * @throws ConfigError when the app lacks a permission, with what to do.
   * @throws UpstreamError when the store cannot be reached.
   */
  assertAllowed(): Promise<void>
  /**
   * Returns the enabled viewers with this value of an attribute, at most three. Upper and lower case of ASCII letters
   * do not matter.
   * @throws UpstreamError when the store cannot be reached.
   */
  findByAttribute(name: string, value: string): Promise<readonly Viewer[]>
  /**
   * Stores a link in place of the viewer's earlier link for this purpose.
   * @returns null for an unknown or disabled viewer, who gets no link.
   * @throws UpstreamError when the store cannot be reached.
   */
  createLink(username: string, link: NewPasswordLink): Promise<Viewer | null>
  /**
   * Returns the link with this digest; null if it is unknown or expired, or its viewer disabled. Changes nothing.
   * @throws UpstreamError when the store cannot be reached.
   */
  findLink(digest: string, nowSeconds: number): Promise<FoundPasswordLink | null>
  /**
   * Sets a password by a link, once. Returns null as `findLink` does.
   * @throws UpstreamError when the store cannot be reached.
   * @throws OverloadedError when too many passwords are being hashed already.
   */
  setByLink(digest: string, nowSeconds: number, password: string): Promise<FoundPasswordLink | null>
  /**
   * Sets the password of a viewer whose old password was checked just before.
   * @returns false if another change was faster, or the viewer was removed.
   * @throws UpstreamError and OverloadedError as `setByLink` does.
   */
  change(username: string, password: string): Promise<boolean>
}

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

/** The users, as the login screens need them. `open-user-store.ts` lists the stores. */
export interface UserStore {
  /**
   * Checks that the store can take another sign-in, so that a refusal costs nothing. Absent if the store does not hash
   * passwords.
   * @throws OverloadedError when too many passwords are being checked already.
   */
  assertCapacity?(): void
  /** Returns how many passwords are being checked, and how many wait. Absent if the store does not hash passwords. */
  hashingQueue?(): QueueLoad
  /**
   * Checks a password. An unknown name and a wrong password give the same reason, in the same time. Other refusals need
   * the right password. The password is compared exactly as given. Accepts any two strings.
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
   * Returns the state of a viewer, disabled or not, for the command line; null if unknown. Absent if the store cannot
   * tell a disabled viewer from an unknown one.
   * @throws UpstreamError when the store cannot be reached.
   */
  inspect?(username: string): Promise<ViewerState | null>
  /** Absent if viewers set their passwords in another system. */
  readonly passwordChanges?: PasswordChanges
  /** Absent if this app does not manage the viewers. Present wherever an entry point has passkeys. */
  readonly passkeys?: PasskeyStore
  /**
   * Resolves when the store can answer: for readiness.
   * @throws UpstreamError when it cannot.
   */
  checkHealth(): Promise<void>
  /** Closes the store. Every later call throws an UpstreamError, except a second close, which does nothing. */
  close(): Promise<void>
}

/** A store whose viewers this app manages. */
export type OwnUserStore = UserStore & Required<Pick<UserStore, 'passwordChanges' | 'inspect' | 'passkeys'>>

/** Called with a warning that does not fail the sign-in. */
export type Warn = (message: string, cause?: unknown) => void
