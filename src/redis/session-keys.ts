import { keysOfIdentity } from '../sessions/identity.ts'
import type { SessionViewer } from '../sessions/session-store.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import type { RedisLink } from './link.ts'

/** Returns the key of a session itself. */
export function sessionKey({ keyPrefix }: RedisLink, id: string): string {
  return `${keyPrefix}session:${id}`
}

/** Returns the key of the list for a viewer of the user store. */
export function listOfName({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}sessions-of:${usernameKey(username)}`
}

export const IDENTITY_LISTS = 'sso:sessions-of:'

/** Returns the key of the list for all viewers of other systems with a user name. */
export function listOfIdentityName({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}${IDENTITY_LISTS}name:${usernameKey(username)}`
}

/** @param key of `keysOfIdentity()` or `keysOfLogout()`. */
export function listOfIdentityKey({ keyPrefix }: RedisLink, key: string): string {
  return `${keyPrefix}${IDENTITY_LISTS}${key}`
}

/** The lists of a session. The list of its viewer limits the number of sessions. */
interface Lists {
  readonly ofViewer: string
  readonly others: readonly string[]
}

export type ListedViewer = Pick<SessionViewer, 'username' | 'identity'>

export function listsOf(link: RedisLink, { username, identity }: ListedViewer): Lists {
  if (identity === undefined) return { ofViewer: listOfName(link, username), others: [] }
  const { viewer, session } = keysOfIdentity(identity)
  return {
    ofViewer: listOfIdentityKey(link, viewer),
    others: [listOfIdentityKey(link, session), listOfIdentityName(link, username)],
  }
}
