import type { EntryPointDeps } from '../../login/route-deps.ts'
import { compileView, type Views } from '../../login/screens/views.ts'
import { type AccountLogDeps, createAccountLog } from '../account/account-log.ts'
import { RECORD_SECONDS } from '../window/flows/flow-store.ts'
import type { WindowSignIn } from '../window/routes.ts'
import { createWindowCookies } from '../window/window-cookie.ts'
import type { Passkeys } from './passkeys.ts'
import { passkeyRoutes } from './routes.ts'
import { sendPasskeyResult } from './send-result.ts'
import { createPasskeyPages } from './window-pages.ts'

export interface PasskeyAppOptions extends Omit<AccountLogDeps, 'entryPoint' | 'addressOf'> {
  readonly passkeys: Passkeys
  readonly publicUrl: URL
  readonly viewsFolder: string
  readonly asset: Views['asset']
}

/**
 * Creates the routes of the entry points with passkeys.
 * @returns a function that returns null for an entry point without passkeys.
 */
export function createPasskeyRoutes(options: PasskeyAppOptions): (deps: EntryPointDeps) => WindowSignIn | null {
  const { passkeys, publicUrl, viewsFolder, asset } = options
  const template = compileView(viewsFolder, 'passkey/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', RECORD_SECONDS.passkey)
  return (deps) => {
    const { hasPasskeys, brand, basePath, name } = deps.entryPoint
    if (!hasPasskeys) return null
    const service = brand.name ?? publicUrl.hostname
    const { relyingParty } = passkeys
    const pages = createPasskeyPages({ template, asset, brand, basePath, publicUrl, service, relyingParty })
    const logAccount = createAccountLog({ ...options, addressOf: deps.addressOf, entryPoint: name })
    const routeDeps = { ...deps, passkeys, pages, cookies, publicUrl, service, logAccount }
    return { flows: passkeys.flows, routes: passkeyRoutes(routeDeps), sendResult: sendPasskeyResult(routeDeps) }
  }
}
