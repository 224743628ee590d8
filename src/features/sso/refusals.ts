import type { TextKey } from '../../languages/languages.ts'
import type { RefusedSignIn } from './flow-kinds.ts'

/** The prompt of the screen after a refusal, which no address can choose. Another account may help. */
export const REFUSED = 'refused'

/** Returns the sentence for a refusal of the window, which the store keeps by its name. */
export function textOfRefusal(refusal: RefusedSignIn['refusal']): TextKey {
  return refusal === 'noCookie' ? 'window.noCookie' : `sso.${refusal}`
}
