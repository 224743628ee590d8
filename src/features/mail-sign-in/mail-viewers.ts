import { isDeepStrictEqual } from 'node:util'
import type { SessionViewer, SsoOrigin } from '../../sessions/session-store.ts'
import type { UserStore, Viewer } from '../../users/user-store.ts'
import { guestOrigin, guestSubjectOf } from '../guests/guest-origin.ts'
import type { KnownGuest } from '../guests/guest-sources.ts'
import type { MailSignInSettings } from './fields.ts'
import type { GuestList } from './guest-list.ts'

/** The viewers who may sign in with a code at one entry point now. */
export interface MailViewers {
  /** Null for an address that may not sign in. @throws UpstreamError if the user store does not answer. */
  find(address: string): Promise<SignedIn | null>
  /** True for a guest of the list: the only guests whose sessions are those of this feature. */
  isListed(address: string): boolean
  /** True for a session of a viewer who may sign in here. */
  acceptsSession(viewer: SessionViewer): boolean
}

export interface SignedIn {
  readonly viewer: Viewer
  /** Absent for a viewer of the user store. */
  readonly origin?: SsoOrigin
}

interface MailViewersDeps {
  readonly guests: GuestList
  /** Returns a guest of another feature, such as one who registered. Comes before the list. */
  readonly findKnown: (address: string) => Promise<KnownGuest | null>
  readonly users: Pick<UserStore, 'find'>
  readonly sessionSeconds: number
  readonly nowSeconds: () => number
}

export function createMailViewers(
  { mode }: MailSignInSettings,
  { guests, findKnown, users, sessionSeconds, nowSeconds }: MailViewersDeps,
): MailViewers {
  if (mode === 'store') {
    return {
      async find(address) {
        const viewer = (await users.find?.(address)) ?? null
        return viewer ? { viewer } : await findKnown(address)
      },
      isListed: () => false,
      acceptsSession: ({ sso }) => sso === undefined,
    }
  }
  return {
    async find(address) {
      const known = await findKnown(address)
      if (known !== null) return known
      const guest = guests.find(address)
      const viewer = guest && { username: address, ...guest }
      const origin = guestOrigin('mail', address, nowSeconds() + sessionSeconds)
      return viewer && { viewer, origin }
    },
    isListed: (address) => guests.find(address) !== null,
    acceptsSession(stored) {
      const address = guestSubjectOf(stored, 'mail')
      if (address === null) return false
      const guest = guests.find(address)
      // The gate tells a guest who is no longer on the list. With other groups or attributes, the guest signs in again.
      return guest === null || isDeepStrictEqual({ ...stored.snapshot }, { ...guest })
    },
  }
}
