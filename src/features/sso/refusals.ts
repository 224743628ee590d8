import type { TextKey } from '../../languages/languages.ts'
import type { RefusedSignIn } from '../window/flows/flow-store.ts'

/** Returns the sentence for a refusal of the window, which the store keeps by its name. */
export function textOfRefusal(refusal: RefusedSignIn['refusal']): TextKey {
  if (refusal === 'overloaded') return refusal
  return refusal === 'noCookie' ? 'window.noCookie' : `sso.${refusal}`
}
