import { defineFeature } from '../../login/feature.ts'
import { guests } from '../../services/guests/service.ts'
import { mailCodes } from '../../services/mail-code/service.ts'
import { capacityOfCodes } from '../../services/mail-code/settings.ts'
import { userStores } from '../../users/open-user-store.ts'
import type { StoreSettings } from '../../users/user-store-kind.ts'
import { type MailSignInSettings, mailSignInFields, USERNAME } from './fields.ts'
import { mailGuests } from './guest-way.ts'

/** Sign-in with a code by mail, in the frame of the player. */
export const mailSignIn = defineFeature({
  ...mailSignInFields,
  needs: { guests, mailCodes },
  isFixed: true,
  guests: mailGuests,
  outcomes: {
    'mail-code-asked': { level: 'info', counted: 'always' },
    'mail-signed-in': { level: 'info' },
    'mail-code-wrong': { level: 'warn', counted: 'always' },
    'mail-code-over': { level: 'warn', counted: 'always' },
    'mail-code-elsewhere': { level: 'info' },
    'mail-guest-removed': { level: 'warn', counted: 'onReturn' },
  },
  faultWith: faultInStore,
  capacityOf: (config) => capacityOfCodes('code by mail', config),
  async open(app, entryPoints) {
    const { openMailSignIn } = await import('./open-mail-sign-in.ts')
    return await openMailSignIn(app, entryPoints)
  },
})

/** Returns why the store cannot find viewers by the attribute with their address. */
function faultInStore(store: StoreSettings, { mode, attribute = USERNAME }: MailSignInSettings): string | null {
  if (mode !== 'store' || attribute === USERNAME) return null
  const { faultInLookup, urlForm } = userStores.kindOf(store)
  const fault = faultInLookup ? faultInLookup(store, attribute) : `cannot be used with ${urlForm}`
  return fault === null ? null : `MAIL_SIGN_IN_ATTRIBUTE ${fault}`
}
