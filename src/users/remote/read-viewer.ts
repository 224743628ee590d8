import { UpstreamError } from '../../errors.ts'
import type { Viewer } from '../user-store.ts'
import { canonicalViewer, faultInAttributeName, faultInAttributeValue, faultInUsername } from '../viewer-fields.ts'

/**
 * A viewer as another system tells of them, in the form that our own stores keep. Its spelling of the name is what
 * counts, whatever the viewer typed: many sign in with a mail address and are known by a number. An attribute that none
 * of our stores could keep is left out; a policy or parameter that needs it then says that it is missing.
 * @param where the sentence's beginning for what is wrong with the name.
 * @throws UpstreamError for a name that no viewer can have.
 */
export function remoteViewer(told: Viewer, where: string): Viewer {
  const fault = isReadable(told.username) ? faultInUsername(told.username) : 'was not readable to it (U+FFFD)'
  if (fault !== null) throw new UpstreamError('user-store', `${where} told a user name that ${fault}`)
  const usable = Object.entries(told.attributes).filter(
    ([name, value]) =>
      faultInAttributeName(name) === null && faultInAttributeValue(value) === null && isReadable(value),
  )
  return canonicalViewer({
    ...told,
    groups: told.groups.filter(isReadable),
    attributes: Object.fromEntries(usable),
  })
}

/** U+FFFD stands for bytes that were no text: two names, or two values, with it may have been different ones. */
function isReadable(text: string): boolean {
  return !text.includes('\ufffd')
}

/**
 * What cannot be anybody's password is not handed to another system: an empty one is an anonymous bind to a directory
 * (RFC 4513, 5.1.2), NUL ends a text in C, half a character becomes another one on the way, and what is longer than any
 * password is work.
 */
export function isPossiblePassword(password: string): boolean {
  return password !== '' && password.length <= LONGEST_PASSWORD && password.isWellFormed() && !password.includes('\0')
}

/** In UTF-16 units. The form of the login screen is refused above 8 kB. */
const LONGEST_PASSWORD = 8192
