import { PROMPT, passkeyScreenPart } from '../../../../features/passkeys/screen-part.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

/** The screen of passkeys, without the viewers' passkeys. */
export const passkeysPreview: FeatureScenes = {
  open: () => ({ at: () => ({ screenPart: passkeyScreenPart() }) }),
  async screens({ app, fields }) {
    const { html } = await app.get('', { fields: { ...fields, prompt: PROMPT } })
    return [{ name: 'passkey', html }]
  },
}
