import { textsOf } from '../../languages/languages.ts'
import { assetAddress } from '../../login/screens/assets.ts'
import { compileView } from '../../login/screens/views.ts'
import type { NewPasswordPart } from '../../services/account-changes/service.ts'
import { ownPasskeys, removeTicked } from './own-passkeys.ts'
import type { Passkeys } from './passkeys.ts'

/** Lists the passkeys of a viewer where the viewer sets a new password: a thief of the old one may have created one. */
export function newPasswordPart(passkeys: Passkeys): NewPasswordPart {
  const template = compileView('passkeys/own-passkeys')
  return {
    async html({ username }, language, form) {
      const own = await ownPasskeys(passkeys, username, language, form)
      return own.length === 0 ? '' : template({ asset: assetAddress, texts: textsOf(language), own })
    },
    apply: async (viewer, form, notice) => void (await removeTicked(passkeys, viewer, form, notice)),
  }
}
