import type { Prompt, ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import type { AccessCodeSettings } from './fields.ts'

export const PROMPT = 'access-code'
export const CODE_PROMPTS: readonly Prompt[] = [{ value: PROMPT }]

/** Creates the form of access codes: a screen beside the password, or the screen itself without a password form. */
export function codeScreenPart({ asksName }: AccessCodeSettings, hasPasswordForm: boolean): ScreenPart {
  return {
    prompts: CODE_PROMPTS,
    isFirst: !hasPasswordForm,
    complete: (html) => html,
    show({ texts, prompt, basePath, fields }) {
      const address = pathOf(basePath, { ...fields, prompt: PROMPT })
      return {
        template: prompt === PROMPT || !hasPasswordForm ? 'access-codes/screen-part' : null,
        part: {
          asksName: asksName !== 'off',
          needsName: asksName === 'required',
          passwordAddress: hasPasswordForm ? pathOf(basePath, fields) : null,
        },
        way: { id: 'use-access-code', address, text: texts['access-codes'].use },
      }
    },
  }
}
