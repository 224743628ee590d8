import { UpstreamError } from '../../errors.ts'
import { type Notify, noticesBy } from '../../login/account/notice.ts'
import type { Services } from '../../login/feature.ts'
import { type OpenWindow, openSignInWindow } from '../../services/window/open-sign-in-window.ts'
import type { PasskeyStore } from '../../users/passkeys/passkey-store.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { RelyingParty } from './web-authn/answers.ts'
import { checkCreation, checkSignIn } from './web-authn/check-answers.ts'

/** Passkeys of all entry points that have them. */
export interface Passkeys extends OpenWindow {
  readonly notify: Notify
  readonly store: PasskeyStore
  /** Ends all sessions of a viewer. @throws UpstreamError as the session store does. */
  readonly endSessionsOf: (username: string) => Promise<unknown>
  /** Returns the viewer as known now; null if unknown or disabled. */
  readonly find: (username: string) => Promise<Viewer | null>
  readonly checkSignIn: typeof checkSignIn
  readonly checkCreation: typeof checkCreation
  readonly relyingParty: RelyingParty
}

/**
 * Opens the store of passkeys, and that of sign-ins that are under way.
 * @throws ConfigError if the app may not store passkeys.
 */
export async function openPasskeys(services: Services): Promise<Passkeys> {
  const { publicUrl, users, opened, sessionStore } = services
  const { find, passkeys: store } = users
  if (!store || !find) throw new TypeError('readConfig() refuses a store without passkeys')
  await store.assertAllowed().catch((error: unknown) => {
    // Unavailable for now: the app starts, as for sign-ins.
    if (!(error instanceof UpstreamError)) throw error
  })
  const relyingParty = { id: publicUrl.hostname, origin: publicUrl.origin }
  const findViewer = (username: string) => find(username)
  const endSessionsOf = (username: string) => sessionStore.endSessionsOf(username)
  const ofViewer = { notify: noticesBy(opened), store, find: findViewer, endSessionsOf }
  return { ...(await openSignInWindow(services)), ...ofViewer, checkSignIn, checkCreation, relyingParty }
}
