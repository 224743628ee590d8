import { UpstreamError } from '../../errors.ts'
import type { Viewer } from '../user-store.ts'
import { canonicalViewer, faultInAttributeName, faultInAttributeValue, faultInUsername } from '../viewer-fields.ts'

/**
 * Converts a viewer of another system to the form of our own stores. Keeps the other system's user name, not the typed
 * one: a viewer may type a mail address, and the system may return a number. Drops attributes that our stores cannot
 * hold; a policy or parameter that needs such an attribute reports it as missing.
 * @param system the beginning of the error message, such as the address of the other system.
 * @throws UpstreamError for a user name that is not allowed.
 */
export function remoteViewer(received: Viewer, system: string): Viewer {
  const fault = isReadable(received.username)
    ? faultInUsername(received.username)
    : 'contains an unreadable character (U+FFFD)'
  if (fault !== null) throw new UpstreamError('user-store', `${system} returned a user name that ${fault}`)
  const usable = Object.entries(received.attributes).filter(
    ([name, value]) =>
      faultInAttributeName(name) === null && faultInAttributeValue(value) === null && isReadable(value),
  )
  return canonicalViewer({
    ...received,
    groups: received.groups.filter(isReadable),
    attributes: Object.fromEntries(usable),
  })
}

/** False for a text with U+FFFD. It replaces invalid bytes, so two different names could look the same. */
function isReadable(text: string): boolean {
  return !text.includes('\ufffd')
}

/**
 * True if another system can verify the password. Refuses an empty password, which is an anonymous bind in a directory
 * (RFC 4513, 5.1.2). Also refuses NUL, which ends a string in C, a lone surrogate, which UTF-8 replaces, and a password
 * that is too long.
 */
export function isPossiblePassword(password: string): boolean {
  return password !== '' && password.length <= LONGEST_PASSWORD && password.isWellFormed() && !password.includes('\0')
}

/** In UTF-16 units. The sign-in form is limited to 8 kB. */
const LONGEST_PASSWORD = 8192
