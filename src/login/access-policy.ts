import type { EntryPoint } from '../entry-points/entry-point.ts'
import { faultInValue, type ResponseParameters } from '../hash-lock/authentication-response.ts'
import type { Viewer } from '../users/user-store.ts'

/** The channel or video in the player. Comes through the browser, so the viewer can change it. */
export interface Content {
  readonly type?: string
  readonly id?: string
}

export type AccessDecision =
  | { readonly ok: true; readonly parameters: ResponseParameters }
  | { readonly ok: false; readonly reason: 'not-entitled' }
  | { readonly ok: false; readonly reason: 'unusable-attribute'; readonly attribute: string; readonly fault: string }

/**
 * Decides who may watch, and what the player learns about the viewer. Edit this file for a rule of your own.
 *
 * This rule uses the entry point (`ALLOWED_GROUPS`), not the content. A viewer can change the id of the content. A
 * response names no content, and is valid for every content with the same secret. A rule by content is safe only if
 * each content has its own entry point and secret.
 *
 * @param viewer with the current values of the user store. Called at every sign-in and at every return.
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
