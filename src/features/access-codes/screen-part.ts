import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import type { AccessCodeSettings } from './fields.ts'

export const PROMPT = 'access-code'

/** Creates the form of access codes. */
export function codeScreenPart({ asksName }: AccessCodeSettings): ScreenPart {
  return {
    name: 'access-codes',
    prompts: [{ value: PROMPT }],
    show({ texts, basePath, fields }) {
      const address = pathOf(basePath, { ...fields, prompt: PROMPT })
      return {
        template: 'access-codes/screen-part',
        part: { asksName: asksName !== 'off', needsName: asksName === 'required' },
        id: 'use-access-code',
        address,
        text: texts['access-codes'].use,
      }
    },
  }
}
