import { UpstreamError } from '../../errors.ts'
import type { Viewer } from '../user-store.ts'
import { canonicalViewer, faultInAttributeName, faultInAttributeValue, faultInUsername } from '../viewer-fields.ts'

/**
 * Converts a viewer of another system to the form of our own stores. The other system's user name counts, not the typed
 * one: many viewers sign in with a mail address and are known by a number. Attributes that our stores cannot hold are
 * dropped; a policy or parameter that needs one then reports it as missing.
 * @param where the beginning of the error message, such as the address of the system.
 * @throws UpstreamError for a user name that is not allowed.
 */
export function remoteViewer(received: Viewer, where: string): Viewer {
  const fault = isReadable(received.username)
    ? faultInUsername(received.username)
    : 'holds an unreadable character (U+FFFD)'
  if (fault !== null) throw new UpstreamError('user-store', `${where} returned a user name that ${fault}`)
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

/** U+FFFD replaces bytes that are not text, so that two different names could look the same. */
function isReadable(text: string): boolean {
  return !text.includes('\ufffd')
}

/**
 * True if another system may be asked to verify the password. Refused are: an empty one, which is an anonymous bind in a
 * directory (RFC 4513, 5.1.2); NUL, which ends a string in C; a lone surrogate, which is sent as another character; and
 * one that is too long.
 */
export function isPossiblePassword(password: string): boolean {
  return password !== '' && password.length <= LONGEST_PASSWORD && password.isWellFormed() && !password.includes('\0')
}

/** In UTF-16 units. The sign-in form is limited to 8 kB. */
const LONGEST_PASSWORD = 8192
