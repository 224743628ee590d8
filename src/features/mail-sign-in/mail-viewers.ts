import { isDeepStrictEqual } from 'node:util'
import { guestIdentity, guestSubjectOf, MAIL_ISSUER } from '../../services/guests/guest-identity.ts'
import { parseMailAddress } from '../../services/guests/mail-address.ts'
import type { KnownGuest } from '../../services/guests/service.ts'
import type { Identity } from '../../sessions/identity.ts'
import type { SessionViewer } from '../../sessions/session-store.ts'
import type { UserStore, Viewer } from '../../users/user-store.ts'
import { type MailSignInSettings, USERNAME } from './fields.ts'
import type { GuestList } from './guest-list.ts'

/** The viewers who may sign in with a code at one entry point now. */
export interface MailViewers {
  /** Finds the viewer of an address. @throws UpstreamError if the user store does not answer. */
  find(address: string): Promise<SignedIn | NotFound>
  /** True for a guest of the list: the only guests whose sessions are those of this feature. */
  isListed(address: string): boolean
  /** True for a session of a viewer who may sign in here. */
  acceptsSession(viewer: SessionViewer): boolean
}

/** The address may not sign in. */
export interface NotFound {
  readonly viewer: null
  /** For the log. Absent for an address that is not on the list. */
  readonly reason?: string
}

export interface SignedIn {
  readonly viewer: Viewer
  /** Absent for a viewer of the user store. */
  readonly identity?: Identity
  /** True for a guest whom only a domain, or MAIL_SIGN_IN=anyone, lets in. */
  readonly isByDomain?: boolean
}

interface MailViewersDeps {
  readonly guests: GuestList
  /** Returns a guest of another feature, such as one who registered. Comes before the list. */
  readonly findKnown: (address: string) => Promise<KnownGuest | null>
  readonly users: Pick<UserStore, 'find' | 'findByAddress'>
  readonly sessionSeconds: number
  readonly nowSeconds: () => number
}

const NOT_FOUND: NotFound = { viewer: null }

export function createMailViewers(
  { mode, attribute = USERNAME }: MailSignInSettings,
  { guests, findKnown, users, sessionSeconds, nowSeconds }: MailViewersDeps,
): MailViewers {
  if (mode === 'store') {
    return {
      async find(address) {
        const viewer = await findInStore(users, attribute, address)
        if (viewer === 'several') return { viewer: null, reason: `several viewers have this address in ${attribute}` }
        return viewer ? { viewer } : ((await findKnown(address)) ?? NOT_FOUND)
      },
      isListed: () => false,
      acceptsSession: ({ identity }) => identity === undefined,
    }
  }
  return {
    async find(address) {
      const known = await findKnown(address)
      if (known !== null) return known
      const guest = guests.find(address)
      const viewer = guest && { username: address, ...guest }
      const identity = guestIdentity(MAIL_ISSUER, address, nowSeconds() + sessionSeconds)
      return viewer ? { viewer, identity, isByDomain: !guests.has(address) } : NOT_FOUND
    },
    isListed: (address) => guests.find(address) !== null,
    acceptsSession(stored) {
      const address = guestSubjectOf(stored, MAIL_ISSUER)
      if (address === null) return false
      const guest = guests.find(address)
      // The gate tells a guest who is no longer on the list. With other groups or attributes, the guest signs in again.
      return guest === null || isDeepStrictEqual({ ...stored.snapshot }, { ...guest })
    },
  }
}

/**
 * Returns the viewer of the store with this address. With an attribute, the user name does not count: it may be the
 * address of another viewer.
 */
async function findInStore(
  { find, findByAddress }: Pick<UserStore, 'find' | 'findByAddress'>,
  attribute: string,
  address: string,
): Promise<Viewer | 'several' | null> {
  if (attribute === USERNAME) return (await find?.(address)) ?? null
  const owner = (await findByAddress?.(attribute, address)) ?? null
  if (owner === null || owner === 'several') return owner
  // A directory or a service may compare in another way.
  return parseMailAddress(owner.attributes[attribute]) === address ? owner : null
}
