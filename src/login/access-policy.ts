import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { Viewer } from '../users/user-store.ts'
import type { AccessDecision, AccessPolicy, Content } from './answer/access-decision.ts'

/**
 * Decides who may watch, and what the player learns about the viewer. The tests use this rule. For a rule of your
 * own, add a function and name it in `accessPolicy` below.
 *
 * This rule uses the entry point (`ALLOWED_GROUPS`), not the channel or video. A viewer can change its id. An
 * answer names neither, and is valid for each one with the same secret or key. A rule by channel or video is
 * safe only if each has its own entry point with its own secret or key.
 *
 * A rule may be asynchronous and may explain a refusal: see "A policy of your own" in README.md.
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
    if (value === undefined) return { ok: false, reason: 'unusable-attribute', attribute, fault: 'is missing' }
    parameters.push([name, value])
  }
  return { ok: true, parameters }
}

function attributeOf(viewer: Viewer, attribute: string): string | undefined {
  if (attribute === 'username') return viewer.username
  return Object.hasOwn(viewer.attributes, attribute) ? viewer.attributes[attribute] : undefined
}

/** The policy of every entry point. A policy that takes longer than `timeoutMs` gives the viewer an error screen (503). */
export const accessPolicy: AccessPolicy = { decideAccess, timeoutMs: 3_000 }
