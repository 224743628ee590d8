import type { EntryPoint } from '../entry-points/entry-point.ts'
import { faultInValue, type ResponseParameters } from '../hash-lock/authentication-response.ts'
import type { Viewer } from '../users/user-store.ts'

/** What the player said it shows. It comes through the viewer's browser, so the viewer can change it. */
export interface Content {
  readonly type?: string
  readonly id?: string
}

export type AccessDecision =
  | { readonly ok: true; readonly parameters: ResponseParameters }
  | { readonly ok: false; readonly reason: 'not-entitled' }
  | { readonly ok: false; readonly reason: 'unusable-attribute'; readonly attribute: string; readonly fault: string }

/**
 * Who may watch, and what the player learns of them. This is the file to edit for a rule of your own.
 *
 * The shipped rule goes by entry point (`ALLOWED_GROUPS`), not by content: the content's id is the viewer's to change
 * and the response names no content, so whoever gets a response for one content can show it for any other that has the
 * same secret. A rule that tells contents apart holds only where each has an entry point and a secret of its own.
 *
 * @param viewer as the store knows them at this moment: asked at every sign-in and at every return.
 */
export function decideAccess(
  viewer: Viewer,
  entryPoint: Pick<EntryPoint, 'allowedGroups' | 'parameters'>,
  _content: Content,
): AccessDecision {
  const { allowedGroups } = entryPoint
  if (allowedGroups !== null && !viewer.groups.some((group) => allowedGroups.includes(group))) {
    return { ok: false, reason: 'not-entitled' }
  }
  const parameters: [string, string][] = []
  for (const { name, attribute } of entryPoint.parameters) {
    const value = attributeOf(viewer, attribute)
    const fault = value === undefined ? 'is missing' : faultInValue(value)
    if (value === undefined || fault !== null) {
      return { ok: false, reason: 'unusable-attribute', attribute, fault: fault ?? 'is missing' }
    }
    parameters.push([name, value])
  }
  return { ok: true, parameters }
}

function attributeOf(viewer: Viewer, attribute: string): string | undefined {
  if (attribute === 'username') return viewer.username
  return Object.hasOwn(viewer.attributes, attribute) ? viewer.attributes[attribute] : undefined
}
