import type { Prompt, ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { PLACEHOLDERS, withFrameSecret } from '../../services/window/frame-secret.ts'

const PROMPT = 'passkey'
export const PASSKEY_PROMPTS: readonly Prompt[] = [{ value: PROMPT, isForSignedIn: true }]

/** Creates the link to passkeys beside the password form, and their own screen. */
export function passkeyScreenPart(): ScreenPart {
  return {
    prompts: PASSKEY_PROMPTS,
    isFirst: false,
    script: 'window.js',
    complete: withFrameSecret,
    show({ texts, prompt, basePath, fields }) {
      const address = pathOf(basePath, { ...fields, prompt: PROMPT })
      return {
        template: prompt === PROMPT ? 'passkeys/screen-part' : null,
        part: { ...PLACEHOLDERS, passwordAddress: pathOf(basePath, fields) },
        way: { id: 'use-passkey', address, text: texts.passkeys.use },
      }
    },
  }
}
