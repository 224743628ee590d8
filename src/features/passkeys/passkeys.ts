import { UpstreamError } from '../../errors.ts'
import type { AppParts } from '../../login/service.ts'
import type { AccountChanges, Notify } from '../../services/account-changes/service.ts'
import type { SignInWindow } from '../../services/window/service.ts'
import type { KeepsPasskeys, PasskeyStore } from '../../users/passkeys/passkey-store.ts'
import type { UserStore, Viewer } from '../../users/user-store.ts'
import type { RelyingParty } from './web-authn/answers.ts'
import { checkCreation, checkSignIn } from './web-authn/check-answers.ts'

/** Passkeys of all entry points that have them. */
export interface Passkeys extends SignInWindow {
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

export interface PasskeyParts extends AppParts {
  readonly accountChanges: AccountChanges
  readonly signInWindow: SignInWindow
}

/**
 * Opens the store of passkeys.
 * @throws ConfigError if the app may not store passkeys.
 */
export async function openPasskeys(app: PasskeyParts): Promise<Passkeys> {
  const { publicUrl, users, sessionStore, signInWindow, accountChanges } = app
  const { find, passkeys: store }: UserStore & Partial<KeepsPasskeys> = users
  if (!store || !find) throw new TypeError('readConfig() refuses a store without passkeys')
  await store.assertAllowed().catch((error: unknown) => {
    // Unavailable for now: the app starts, as for sign-ins.
    if (!(error instanceof UpstreamError)) throw error
  })
  const relyingParty = { id: publicUrl.hostname, origin: publicUrl.origin }
  const findViewer = (username: string) => find(username)
  const endSessionsOf = (username: string) => sessionStore.endSessionsOf(username)
  return {
    ...signInWindow,
    notify: accountChanges.notify,
    store,
    find: findViewer,
    endSessionsOf,
    checkSignIn,
    checkCreation,
    relyingParty,
  }
}
