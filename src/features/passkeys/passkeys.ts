import { UpstreamError } from '../../errors.ts'
import type { AppParts } from '../../login/service.ts'
import type { AccountChanges } from '../../services/account-changes/service.ts'
import type { SignInWindow } from '../../services/window/service.ts'
import { createAgain } from '../../sign-in-limits/again.ts'
import type { KeepsPasskeys } from '../../users/passkeys/passkey-store.ts'
import type { UserStore } from '../../users/user-store.ts'
import { checkCreation, checkSignIn } from './web-authn/check-answers.ts'

/** Passkeys of all entry points that have them. */
export type Passkeys = Awaited<ReturnType<typeof openPasskeys>>

export interface PasskeyParts extends AppParts {
  readonly accountChanges: AccountChanges
  readonly signInWindow: SignInWindow
}

/**
 * Opens the store of passkeys.
 * @throws ConfigError if the app may not store passkeys.
 */
export async function openPasskeys(app: PasskeyParts) {
  const { publicUrl, users, sessionStore, signInWindow, accountChanges } = app
  const { find, passkeys: store }: UserStore & Partial<KeepsPasskeys> = users
  if (!store || !find) throw new TypeError('readConfig() refuses a store without passkeys')
  await store.assertAllowed().catch((error: unknown) => {
    // Unavailable for now: the app starts, as for sign-ins.
    if (!(error instanceof UpstreamError)) throw error
  })
  const relyingParty = { id: publicUrl.hostname, origin: publicUrl.origin }
  return {
    ...signInWindow,
    again: createAgain(app.openCounter, app.sessionSettings.secrets),
    notify: accountChanges.notify,
    store,
    /** Returns the viewer as known now; null if unknown or disabled. */
    find: (username: string) => find(username),
    /** Ends all sessions of a viewer. @throws UpstreamError as the session store does. */
    endSessionsOf: (username: string) => sessionStore.endSessionsOf(username),
    checkSignIn,
    checkCreation,
    relyingParty,
  }
}
