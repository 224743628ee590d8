import { UpstreamError } from '../../errors.ts'
import type { OpenFeature, Services } from '../../login/feature.ts'
import { assetAddress, compileView } from '../../login/screens/views.ts'
import { createStepLog, PAGE_OUTCOMES } from '../../login/step-log.ts'
import type { PasskeyStore } from '../../users/passkey-store.ts'
import type { Viewer } from '../../users/user-store.ts'
import { RECORD_SECONDS } from '../window/flows/flow-store.ts'
import { type OpenWindow, openSignInWindow } from '../window/open-sign-in-window.ts'
import { windowRoutes } from '../window/routes.ts'
import { createWindowCookies } from '../window/window-cookie.ts'
import { passkeyRoutes } from './routes.ts'
import { passkeyScreenPart } from './screen-part.ts'
import { sendPasskeyResult } from './send-result.ts'
import type { RelyingParty } from './web-authn/answers.ts'
import { checkCreation, checkSignIn } from './web-authn/check-answers.ts'
import { createPasskeyPages } from './window-pages.ts'

/** Passkeys of all entry points that have them. */
export interface Passkeys extends OpenWindow, Pick<Services, 'notify'> {
  readonly store: PasskeyStore
  /** Returns the viewer as known now; null if unknown or disabled. */
  readonly find: (username: string) => Promise<Viewer | null>
  readonly checkSignIn: typeof checkSignIn
  readonly checkCreation: typeof checkCreation
  readonly relyingParty: RelyingParty
}

/** The outcomes of changes of passkeys, with `event` "account". */
const ACCOUNT_OUTCOMES = {
  ...PAGE_OUTCOMES,
  'passkey-added': { level: 'info' },
  'passkey-not-added': { level: 'warn', counted: 'always' },
  'notice-mailed': { level: 'info' },
  'notice-not-mailed': { level: 'warn', counted: 'always' },
} as const

/**
 * Opens the store of passkeys, and that of sign-ins that are under way.
 * @throws ConfigError if the app may not store passkeys.
 */
export async function openPasskeys(services: Services): Promise<Passkeys> {
  const { publicUrl, users, notify } = services
  const { find, passkeys: store } = users
  if (!store || !find) throw new TypeError('readConfig() refuses a store without passkeys')
  await store.assertAllowed().catch((error: unknown) => {
    // Unavailable for now: the app starts, as for sign-ins.
    if (!(error instanceof UpstreamError)) throw error
  })
  const relyingParty = { id: publicUrl.hostname, origin: publicUrl.origin }
  const findViewer = (username: string) => find(username)
  const own = { notify, store, find: findViewer, checkSignIn, checkCreation, relyingParty }
  return { ...(await openSignInWindow(services)), ...own }
}

/** Creates the screens and routes of passkeys. */
export function createPasskeys(passkeys: Passkeys, services: Services): OpenFeature<object> {
  const { publicUrl } = services
  const { relyingParty, flows, registerMetrics, close } = passkeys
  const template = compileView('passkeys/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', RECORD_SECONDS.passkey)
  return {
    at: ({ name, brand, basePath }) => ({
      screenPart: passkeyScreenPart(),
      routes(deps) {
        const service = brand.name ?? publicUrl.hostname
        const options = { template, asset: assetAddress, brand, basePath, publicUrl, service, relyingParty }
        const log = { ...services, event: 'account', outcomes: ACCOUNT_OUTCOMES, entryPoint: name }
        const logAccount = createStepLog({ ...log, addressOf: deps.addressOf })
        const routeDeps = { ...deps, passkeys, pages: createPasskeyPages(options), cookies, publicUrl, logAccount }
        const window = { flows, method: 'passkey', outcomes: 'passkey', sendResult: sendPasskeyResult(routeDeps) }
        return windowRoutes(deps, window, passkeyRoutes(routeDeps))
      },
    }),
    registerMetrics,
    close,
  }
}
