import type { Viewer, ViewerState } from '../user-store.ts'

/** A link by which a viewer sets a password without the old one. */
export interface NewPasswordLink {
  readonly purpose: 'reset' | 'invitation'
  /** A hash of the token in the link. The token itself is never stored. */
  readonly digest: string
  /** UNIX time in seconds. */
  readonly expiresAtSeconds: number
  /**
   * The earlier link for this purpose as the caller saw it; null if there was none. The new link is stored only if nothing
   * has changed since, so that two programs at once do not both send one. Undefined replaces any link.
   */
  readonly replaces?: ViewerState['invitation']
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
   * Returns the enabled viewers with this mail address in an attribute, at most three. Upper and lower case of ASCII
   * letters do not matter.
   * @throws UpstreamError when the store cannot be reached.
   */
  findByAttribute(name: string, value: string): Promise<readonly Viewer[]>
  /**
   * Stores a link in place of the viewer's earlier link for this purpose.
   * @returns null for an unknown or disabled viewer, who gets no link, and if `replaces` is not the earlier link.
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
   * @param viewer as `authenticate` returned it.
   * @returns false if another change was faster, or the viewer was removed.
   * @throws UpstreamError and OverloadedError as `setByLink` does.
   */
  change(viewer: Pick<Viewer, 'username' | 'passwordVersion'>, password: string): Promise<boolean>
}

/** A store whose viewers set their passwords in this app. With other stores, they do so in another system. */
export interface ChangesPasswords {
  readonly passwordChanges: PasswordChanges
}

/** Password changes and their links, as commands need them. */
export interface EditsLinks extends ChangesPasswords {
  /** Notes that the link of an invitation was sent. @throws UpstreamError when the store cannot be reached. */
  markSent(digest: string): Promise<void>
  /** Deletes all links of the viewer. Returns true if there were any. @throws UpstreamError as above. */
  revokeLinks(username: string): Promise<boolean>
}
