import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { UpstreamError } from '../../errors.ts'
import type { PasskeyStore } from '../../users/passkey-store.ts'
import type { UserStore, Viewer } from '../../users/user-store.ts'
import type { Account } from '../account/account.ts'
import type { SignInWindow } from '../window/open-sign-in-window.ts'
import type { RelyingParty } from './web-authn/answers.ts'

/** Passkeys of all entry points that have them. */
export interface Passkeys extends SignInWindow {
  readonly store: PasskeyStore
  /** Returns the viewer as known now; null if unknown or disabled. */
  readonly find: (username: string) => Promise<Viewer | null>
  readonly checkSignIn: typeof import('./web-authn/check-answers.ts').checkSignIn
  readonly checkCreation: typeof import('./web-authn/check-answers.ts').checkCreation
  readonly relyingParty: RelyingParty
  /** Sends the notices. */
  readonly account: Pick<Account, 'mailQueue' | 'mailAttribute'>
}

export interface PasskeysConfig {
  readonly publicUrl: URL
  readonly entryPoints: readonly Pick<EntryPoint, 'hasPasskeys'>[]
}

export interface OpenPasskeysDeps {
  readonly signInWindow: SignInWindow
  readonly account: Passkeys['account'] | null
  readonly users: Pick<UserStore, 'find' | 'passkeys'>
}

/**
 * Prepares passkeys. Null if no entry point has them.
 * @throws ConfigError if the app may not store passkeys.
 */
export async function openPasskeys(
  { publicUrl, entryPoints }: PasskeysConfig,
  { signInWindow, users, account }: OpenPasskeysDeps,
): Promise<Passkeys | null> {
  const { find, passkeys: store } = users
  if (!entryPoints.some(({ hasPasskeys }) => hasPasskeys)) return null
  if (!store || !find || !account) throw new TypeError('readConfig() refuses a store without passkeys')
  await store.assertAllowed().catch((error: unknown) => {
    // Unavailable for now: the app starts, as for sign-ins.
    if (!(error instanceof UpstreamError)) throw error
  })
  // Loaded late, because apps without passkeys do not need the library.
  const { checkSignIn, checkCreation } = await import('./web-authn/check-answers.ts')
  const relyingParty = { id: publicUrl.hostname, origin: publicUrl.origin }
  const checks = { checkSignIn, checkCreation }
  return { ...signInWindow, ...checks, store, find: (username) => find(username), relyingParty, account }
}
