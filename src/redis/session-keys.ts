import { usernameKey } from '../users/viewer-fields.ts'
import type { RedisLink } from './link.ts'

/** Returns the key of a session itself. */
export function sessionKey({ keyPrefix }: RedisLink, id: string): string {
  return `${keyPrefix}session:${id}`
}

/** Returns the key of the list for a password viewer. */
export function listOfName({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}sessions-of:${usernameKey(username)}`
}

export const PROVIDER_LISTS = 'sso:sessions-of:'

/** Returns the key of the list for all SSO viewers with a user name. */
export function listOfProviderName({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}${PROVIDER_LISTS}name:${usernameKey(username)}`
}

/** @param key of `keysOfIdentity()` or `keysOfLogout()`. */
export function listOfProviderKey({ keyPrefix }: RedisLink, key: string): string {
  return `${keyPrefix}${PROVIDER_LISTS}${key}`
}

/** The lists of a session. The list of its viewer limits the number of sessions. */
export interface Lists {
  readonly ofViewer: string
  readonly others: readonly string[]
}
