import type { OpenFeature } from '../../login/feature.ts'
import { createStepLog, PAGE_OUTCOMES } from '../../login/log/step-log.ts'
import { compileView } from '../../login/screens/views.ts'
import { windowRoutes } from '../../services/window/routes.ts'
import { createWindowCookies } from '../../services/window/window-cookie.ts'
import { CEREMONY } from './flow-kinds.ts'
import { newPasswordPart } from './new-password-part.ts'
import type { PasskeyParts, Passkeys } from './passkeys.ts'
import { passkeyRoutes } from './routes.ts'
import { passkeyScreenPart } from './screen-part.ts'
import { sendPasskeyResult } from './send-result.ts'
import { createPasskeyPages } from './window-pages.ts'

/** The outcomes of changes of passkeys, with `event` "account". */
const ACCOUNT_OUTCOMES = {
  ...PAGE_OUTCOMES,
  'passkey-added': { level: 'info' },
  'passkey-removed': { level: 'info' },
  'passkey-not-added': { level: 'warn', counted: 'always' },
  'notice-mailed': { level: 'info' },
  'notice-not-mailed': { level: 'warn', counted: 'always' },
} as const

/** Creates the screens and routes of passkeys. */
export function createPasskeys(passkeys: Passkeys, app: PasskeyParts): OpenFeature<object> {
  const { publicUrl } = app
  const { relyingParty, flows } = passkeys
  app.accountChanges.newPasswordParts.push(newPasswordPart(passkeys))
  const template = compileView('passkeys/window')
  const cookies = createWindowCookies(publicUrl.protocol === 'https:', CEREMONY.seconds)
  return {
    at: ({ name, basePath }) => ({
      screenPart: passkeyScreenPart(),
      routes(deps) {
        const { brand } = deps.entryPoint
        const service = brand.name ?? publicUrl.hostname
        const options = { template, brand, basePath, publicUrl, service, relyingParty }
        const log = { ...app, event: 'account', outcomes: ACCOUNT_OUTCOMES, entryPoint: name }
        const logAccount = createStepLog({ ...log, addressOf: deps.addressOf })
        const routeDeps = { ...deps, passkeys, pages: createPasskeyPages(options), cookies, publicUrl, logAccount }
        const window = { flows, method: 'passkey', outcomes: 'passkey', sendResult: sendPasskeyResult(routeDeps) }
        return windowRoutes(deps, window, passkeyRoutes(routeDeps))
      },
    }),
  }
}
