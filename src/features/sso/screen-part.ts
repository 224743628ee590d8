import { fill } from '../../languages/languages.ts'
import { logoAsset } from '../../login/screens/assets.ts'
import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { PLACEHOLDERS, withFrameSecret } from '../../services/window/frame-secret.ts'
import { REFUSED } from './refusals.ts'
import type { SsoSettings } from './settings/sso-settings.ts'

/**
 * Creates the button of single sign-on, which comes before the password form.
 * @param host of PUBLIC_URL, which viewers type on another device.
 */
export function ssoScreenPart(
  { label: provider, icon, isOnly, hasCode }: Pick<SsoSettings, 'label' | 'icon' | 'isOnly' | 'hasCode'>,
  host: string,
): ScreenPart {
  return {
    prompts: [{ value: 'signed-out' }, { value: 'code' }],
    isFirst: true,
    script: 'window.js',
    complete: withFrameSecret,
    show({ texts: { sso: texts, errors, otherAccount }, prompt, wantsOtherAccount, refusal, basePath, fields }) {
      const isCode = hasCode && prompt === 'code'
      const part = {
        ...PLACEHOLDERS,
        signIn: fill(texts.signIn, { provider }),
        icon: icon && logoAsset(icon).address,
        codeHint: fill(texts.codeHint, { address: `${host}${basePath}/sso` }),
        /** The provider must ask which account to use: the viewer chose that, or signed out. */
        wantsOtherAccount: prompt === 'other-account' || prompt === 'signed-out' || wantsOtherAccount,
        hasPassword: !isOnly,
        isPasswordOpen: refusal !== undefined && refusal in errors,
      }
      const notice = prompt === 'signed-out' ? fill(texts.signedOut, { provider }) : null
      const linkTo = (screen: string, text: string) => ({
        address: pathOf(basePath, { ...fields, prompt: screen }),
        text,
      })
      const codeLink = hasCode && !isCode ? linkTo('code', texts.otherDevice) : null
      const template = isCode ? 'sso/code-part' : 'sso/screen-part'
      return { template, part, notice, link: prompt === REFUSED ? linkTo('other-account', otherAccount) : codeLink }
    },
  }
}
