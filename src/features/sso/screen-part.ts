import { fill } from '../../languages/languages.ts'
import { logoAsset } from '../../login/screens/assets.ts'
import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { PLACEHOLDERS, withFrameSecret } from '../../services/window/frame-secret.ts'
import { PROMPTS } from './refusals.ts'
import type { SsoSettings } from './settings/sso-settings.ts'

/** The prompts of viewers who want another account. */
const WANT_OTHER: readonly (string | undefined)[] = ['other-account', PROMPTS.otherAccount, PROMPTS.signedOut]

/**
 * Creates the button of single sign-on, which comes before the password form.
 * @param host of PUBLIC_URL, which viewers type on another device.
 */
export function ssoScreenPart(
  { label: provider, icon, hasCode }: Pick<SsoSettings, 'label' | 'icon' | 'hasCode'>,
  host: string,
): ScreenPart {
  return {
    name: 'sso',
    prompts: Object.values(PROMPTS).map((value) => ({ value })),
    isFirst: true,
    script: 'window.js',
    complete: withFrameSecret,
    show({ texts: { sso: texts, otherAccount }, prompt, wantsOtherAccount, basePath, fields }) {
      const isCode = hasCode && prompt === PROMPTS.code
      const signIn = fill(texts.signIn, { provider })
      const image = icon && logoAsset(icon).address
      const part = {
        ...PLACEHOLDERS,
        codeHint: fill(texts.codeHint, { address: `${host}${basePath}/sso` }),
        /** The provider must ask which account to use: the viewer chose that, or signed out. */
        wantsOtherAccount: WANT_OTHER.includes(prompt) || wantsOtherAccount,
      }
      const notice = prompt === PROMPTS.signedOut ? fill(texts.signedOut, { provider }) : null
      const linkTo = (screen: string, text: string) => ({
        address: pathOf(basePath, { ...fields, prompt: screen }),
        text,
      })
      const codeLink = hasCode && !isCode ? linkTo(PROMPTS.code, texts.otherDevice) : null
      return {
        template: isCode ? 'sso/code-part' : 'sso/screen-part',
        part,
        notice,
        link: prompt === PROMPTS.refused ? linkTo(PROMPTS.otherAccount, otherAccount) : codeLink,
        ...linkTo(PROMPTS.start, signIn),
        id: 'use-sso',
        image,
      }
    },
  }
}
