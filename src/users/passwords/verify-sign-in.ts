import { hash } from 'node:crypto'
import type { WorkQueue } from '../../server/work-queue.ts'
import type { Authentication, Viewer, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import type { PasswordHashing } from './argon2.ts'

/** A viewer in a store of password hashes. */
export interface StoredViewer {
  readonly viewer: Viewer
  readonly passwordHash: string
  readonly disabled: boolean
}

/** Returns the viewer for the login screens, without the hash. */
export function toViewer({ viewer, passwordHash }: StoredViewer): Viewer {
  return { ...viewer, passwordVersion: passwordVersionOf(passwordHash) }
}

/** Returns 8 bytes of a digest of the hash, in base64url. They change with the password. */
export function passwordVersionOf(passwordHash: string): string {
  return hash('sha256', passwordHash, 'buffer').toString('base64url', 0, 8)
}

type Loaded = StoredViewer | { readonly decoyHash: string | null } | null

export interface HashedSignInDeps {
  readonly queue: WorkQueue
  readonly passwords: PasswordHashing
  /**
   * Looks up the viewer by the key of the name, or by the typed name (NFC). Returns null for an unknown name, or a
   * decoy hash. Over a network, a second query for the decoy hash would reveal by its time that the name is unknown.
   */
  readonly load: (key: string, username: string) => Loaded | Promise<Loaded>
  /**
   * Returns the hash of any viewer, the same one for the same key. It is verified when the user is unknown, so that
   * both cases take the same time. Without it, a hash with the costs of new passwords is verified.
   */
  readonly decoyHash?: (key: string) => string | null | Promise<string | null>
  /**
   * Stores the new hash if the old one is still stored: a password set in the meantime must win. Absent if this app may
   * not change hashes.
   */
  readonly replaceHash?: (key: string, oldHash: string, newHash: string, username: string) => void | Promise<void>
  readonly warn: Warn
}

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }

/** Sign-in for stores of password hashes. Verifies exactly one hash, for unknown users too. */
export function hashedSignIn(deps: HashedSignInDeps): (username: string, password: string) => Promise<Authentication> {
  return async function authenticate(username, password) {
    // An invalid name is unknown. In a database, half a character could match another viewer.
    const key = faultInUsername(username) === null ? usernameKey(username) : null
    const loaded = key === null ? null : await deps.load(key, canonicalText(username))
    if (loaded && 'viewer' in loaded) return await deps.queue.run(() => checkPassword(deps, loaded, password))
    const decoyHash = loaded ? loaded.decoyHash : await deps.decoyHash?.(key ?? '')
    return await deps.queue.run(() => refuseUnknown(deps, decoyHash ?? null, password))
  }
}

async function checkPassword(deps: HashedSignInDeps, stored: StoredViewer, password: string): Promise<Authentication> {
  const { passwords, warn } = deps
  const { viewer, passwordHash, disabled } = stored
  const reading = passwords.read(passwordHash)
  if (!reading.ok) {
    warn(
      `The password hash of ${JSON.stringify(viewer.username)} ${reading.fault}: set a new password for this viewer.`,
    )
    return await refuseUnknown(deps, null, password)
  }
  if (!(await reading.verify(password))) return WRONG
  if (disabled) return { ok: false, reason: 'disabled' }
  const newest = reading.needsRehash(password) ? await renewHash(deps, stored, password) : stored
  return { ok: true, viewer: toViewer(newest) }
}

/** Takes the time of a verification and refuses, even for the right password of the decoy hash. */
async function refuseUnknown(
  { passwords }: HashedSignInDeps,
  decoyHash: string | null,
  password: string,
): Promise<Authentication> {
  const decoy = decoyHash === null ? null : passwords.read(decoyHash)
  const reading = decoy?.ok ? decoy : passwords.read(passwords.dummyHash)
  if (reading.ok) await reading.verify(password)
  return WRONG
}

/**
 * Replaces the hash. A failure, such as a full disk, does not fail the sign-in; the next sign-in tries again.
 * @returns the viewer as stored then: another sign-in may have been faster. A hash of another password is left out.
 */
async function renewHash(
  { passwords, replaceHash, load, warn }: HashedSignInDeps,
  stored: StoredViewer,
  password: string,
): Promise<StoredViewer> {
  if (!replaceHash) return stored
  const { username } = stored.viewer
  const key = usernameKey(username)
  try {
    const newHash = await passwords.hash(password)
    await replaceHash(key, stored.passwordHash, newHash, username)
    const now = await load(key, username)
    if (now === null || !('viewer' in now)) return stored
    const reading = passwords.read(now.passwordHash)
    return now.passwordHash === newHash || (reading.ok && (await reading.verify(password))) ? now : stored
  } catch (cause) {
    const name = JSON.stringify(username)
    warn(`The password hash of ${name} could not be renewed. The next sign-in will try again.`, cause)
    return stored
  }
}
