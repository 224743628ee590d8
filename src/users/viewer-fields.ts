import { faultInValue } from '../hash-lock/authentication-response.ts'
import type { Viewer } from './user-store.ts'

const LONGEST_ATTRIBUTE_NAME_BYTES = 64
const LONGEST_ATTRIBUTE_VALUE_BYTES = 1024
/** `HASH_PARAMETERS` uses `username` for the name of the viewer. Every JavaScript object has the other names. */
const RESERVED_ATTRIBUTE_NAMES = new Set(['username', '__proto__', 'constructor', 'prototype'])

/** Returns the stored form of a text, NFC: texts that look the same become the same. */
export function canonicalText(text: string): string {
  return text.normalize('NFC')
}

/** Returns the key of a user name: canonical and in lower case, in every locale. */
export function usernameKey(username: string): string {
  return canonicalText(canonicalText(username).toLowerCase())
}

/**
 * Returns why a text cannot be a user name, as the end of a sentence; null if it can. Refuses what an authentication
 * response cannot carry: such a viewer could sign in but never watch.
 */
export function faultInUsername(username: string): string | null {
  // First, since the canonical form of a long text takes long.
  if (username.length > 255) return 'is longer than 255 bytes in UTF-8'
  return faultInValue(canonicalText(username)) ?? faultInWhiteSpace(username)
}

/** Returns why a text cannot name a group, in the same form. */
export function faultInGroup(group: string): string | null {
  if (group.includes(',')) return 'contains a comma, which separates groups in the settings'
  return faultInValue(canonicalText(group)) ?? faultInWhiteSpace(group)
}

/** Returns why a text cannot name an attribute, in the same form. */
export function faultInAttributeName(name: string): string | null {
  if (RESERVED_ATTRIBUTE_NAMES.has(name)) return 'is reserved'
  if (/[=,]/.test(name)) return 'contains "=" or a comma, which separate attributes in the settings'
  if (Buffer.byteLength(name) > LONGEST_ATTRIBUTE_NAME_BYTES) {
    return `is longer than ${LONGEST_ATTRIBUTE_NAME_BYTES} bytes in UTF-8`
  }
  return faultInValue(canonicalText(name)) ?? faultInWhiteSpace(name)
}

/** Returns why a text cannot be the value of an attribute, in the same form. It may be empty or contain "|". */
export function faultInAttributeValue(value: string): string | null {
  if (/\p{Cc}/u.test(value)) return 'contains a control character'
  if (!value.isWellFormed()) return 'contains half of a character (a lone surrogate)'
  if (Buffer.byteLength(value) > LONGEST_ATTRIBUTE_VALUE_BYTES) {
    return `is longer than ${LONGEST_ATTRIBUTE_VALUE_BYTES} bytes in UTF-8`
  }
  return null
}

/** Returns why a viewer cannot be stored, as a sentence; null if the viewer is valid. */
export function faultInViewer({ username, groups, attributes }: Viewer): string | null {
  const inUsername = faultInUsername(username)
  if (inUsername !== null) return `The user name ${inUsername}.`
  for (const group of groups) {
    const fault = faultInGroup(group)
    if (fault !== null) return `The group ${JSON.stringify(group)} ${fault}.`
  }
  for (const [name, value] of Object.entries(attributes)) {
    const inName = faultInAttributeName(name)
    if (inName !== null) return `The attribute name ${JSON.stringify(name)} ${inName}.`
    const inValue = faultInAttributeValue(value)
    if (inValue !== null) return `The value of the attribute ${JSON.stringify(name)} ${inValue}.`
  }
  return null
}

/** Returns the viewer with every text in canonical form and every group once. */
export function canonicalViewer({ username, groups, attributes }: Viewer): Viewer {
  const pairs = Object.entries(attributes).map((pair) => pair.map(canonicalText))
  return {
    username: canonicalText(username),
    groups: [...new Set(groups.map(canonicalText))],
    attributes: Object.fromEntries(pairs),
  }
}

function faultInWhiteSpace(text: string): string | null {
  return text.trim() === text ? null : 'begins or ends with white space'
}
