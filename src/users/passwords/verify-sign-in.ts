import type { Authentication, Viewer, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import type { PasswordHashing } from './argon2.ts'
import type { Gate } from './hashing-queue.ts'

/** What a store of password hashes knows of one viewer. */
export interface StoredViewer {
  readonly viewer: Viewer
  readonly passwordHash: string
  readonly disabled: boolean
}

type Loaded = StoredViewer | { readonly standIn: string | null } | null

export interface HashedSignInDeps {
  readonly gate: Gate
  readonly passwords: PasswordHashing
  /**
   * The viewer whose name has this key, typed in this way (NFC); null when there is none, or who stands in where the
   * store is asked for both at once, since a second question across a network would tell that there is none.
   */
  readonly load: (key: string, username: string) => Loaded | Promise<Loaded>
  /**
   * The hash of any viewer, the same one for the same key: verified for a name that nobody has, which then takes the time
   * that names take in this store, whatever its viewers' hashes cost. Without it a hash of today's costs is.
   */
  readonly standIn?: (key: string) => string | null | Promise<string | null>
  /**
   * Stores the new hash if the old one is still there: a password set meanwhile must win. The name is spelled as `load`
   * gave it. Absent where hashes are not this app's to change.
   */
  readonly replaceHash?: (key: string, oldHash: string, newHash: string, username: string) => void | Promise<void>
  readonly warn: Warn
}

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }

/** Sign-in for every store that holds password hashes: one password is checked, whoever asks. */
export function hashedSignIn(deps: HashedSignInDeps): (username: string, password: string) => Promise<Authentication> {
  return async function authenticate(username, password) {
    // A name that cannot have been added is nobody's; asked for, half a character could find another viewer.
    const key = faultInUsername(username) === null ? usernameKey(username) : null
    const loaded = key === null ? null : await deps.load(key, canonicalText(username))
    if (loaded && 'viewer' in loaded) return await deps.gate.run(() => checkPassword(deps, loaded, password))
    const standIn = loaded ? loaded.standIn : await deps.standIn?.(key ?? '')
    return await deps.gate.run(() => checkForNobody(deps, standIn ?? null, password))
  }
}

async function checkPassword(deps: HashedSignInDeps, stored: StoredViewer, password: string): Promise<Authentication> {
  const { passwords, warn } = deps
  const { viewer, passwordHash, disabled } = stored
  const fault = passwords.faultIn(passwordHash)
  if (fault !== null) {
    warn(`The password hash of ${JSON.stringify(viewer.username)} ${fault}: set a new password for this viewer.`)
    return await checkForNobody(deps, null, password)
  }
  if (!(await passwords.verify(passwordHash, password))) return WRONG
  if (disabled) return { ok: false, reason: 'disabled' }
  if (passwords.needsRehash(passwordHash)) await renewHash(deps, stored, password)
  return { ok: true, viewer }
}

/** The work of a sign-in without its result: even the right password of the viewer who stands in opens nothing. */
async function checkForNobody(
  { passwords }: HashedSignInDeps,
  standIn: string | null,
  password: string,
): Promise<Authentication> {
  const isUsable = standIn !== null && passwords.faultIn(standIn) === null
  await passwords.verify(isUsable ? standIn : passwords.dummyHash, password)
  return WRONG
}

/** A viewer is not turned away because the disk is full: the hash stays as it was until the next sign-in. */
async function renewHash(
  { passwords, replaceHash, warn }: HashedSignInDeps,
  { viewer: { username }, passwordHash }: StoredViewer,
  password: string,
): Promise<void> {
  if (!replaceHash) return
  try {
    await replaceHash(usernameKey(username), passwordHash, await passwords.hash(password), username)
  } catch (cause) {
    warn(`The password hash of ${JSON.stringify(username)} could not be renewed; it will be tried again.`, cause)
  }
}
