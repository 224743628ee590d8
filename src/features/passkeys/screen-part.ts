import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { PLACEHOLDERS, withFrameSecret } from '../../services/window/frame-secret.ts'

export const PROMPT = 'passkey'

/** Creates the link to passkeys beside the password form, and their own screen. */
export function passkeyScreenPart(): ScreenPart {
  return {
    name: 'passkeys',
    prompts: [{ value: PROMPT, isForSignedIn: true }],
    script: 'window.js',
    complete: withFrameSecret,
    show({ texts, basePath, fields }) {
      const address = pathOf(basePath, { ...fields, prompt: PROMPT })
      return {
        template: 'passkeys/screen-part',
        part: PLACEHOLDERS,
        id: 'use-passkey',
        address,
        text: texts.passkeys.use,
      }
    },
  }
}
