import type { SessionViewer } from '../../sessions/session-store.ts'
import { keysOfIdentity } from '../../sessions/sso/provider-sessions.ts'
import type { RedisLink } from '../link.ts'
import { type Lists, listOfProviderKey, listOfProviderName } from '../session-keys.ts'

/** Returns the lists of a session of an SSO viewer. Null for another viewer. */
export function listsOfProvider(
  link: RedisLink,
  { username, sso }: Pick<SessionViewer, 'username' | 'sso'>,
): Lists | null {
  if (sso === undefined) return null
  const { viewer, session } = keysOfIdentity(sso)
  return {
    ofViewer: listOfProviderKey(link, viewer),
    others: [listOfProviderKey(link, session), listOfProviderName(link, username)],
  }
}
