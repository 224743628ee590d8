import type { TextKey } from '../../languages/languages.ts'
import type { RefusedSignIn } from './flow-kinds.ts'

/** The screens. After a refusal, another account may help. */
export const PROMPTS = {
  start: 'sso',
  signedOut: 'signed-out',
  refused: 'refused',
  otherAccount: 'sso-account',
  code: 'code',
} as const

/** Returns the sentence for a refusal of the window, which the store keeps by its name. */
export function textOfRefusal(refusal: RefusedSignIn['refusal']): TextKey {
  return refusal === 'noCookie' ? 'window.noCookie' : `sso.${refusal}`
}
