import { PASSKEY_PROMPTS, passkeyScreenPart } from '../../../../features/passkeys/screen-part.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

/** The screen of passkeys, without the viewers' passkeys. */
export const passkeysPreview: FeatureScenes = {
  open: () => ({ at: () => ({ screenPart: passkeyScreenPart() }) }),
  async screens({ app, fields }) {
    const screens = PASSKEY_PROMPTS.map(
      async ({ value }) => (await app.get('', { fields: { ...fields, prompt: value } })).html,
    )
    return (await Promise.all(screens)).map((html) => ({ name: 'passkey', html }))
  },
}
