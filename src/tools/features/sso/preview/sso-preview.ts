import { ssoScreenPart } from '../../../../features/sso/screen-part.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

/** The button of single sign-on. The provider is not asked. */
export const ssoPreview: FeatureScenes = {
  open: ({ publicUrl }) => ({
    at: (_entryPoint, settings) => ({
      screenPart: ssoScreenPart(settings as SsoSettings, publicUrl.host),
      // The preview signs viewers in with a password, also where viewers cannot.
      acceptsSession: () => true,
    }),
  }),
  async screens({ app, fields }, settings) {
    const at = async (prompt: string) => (await app.get('', { fields: { ...fields, prompt } })).html
    const code = { name: 'code of another device', html: await at('code') }
    return [
      { name: 'signed out at the provider', html: await at('signed-out') },
      ...((settings as SsoSettings).hasCode ? [code] : []),
    ]
  },
}
