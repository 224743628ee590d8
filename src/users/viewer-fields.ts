import { faultInValue } from '../hash-lock/authentication-response.ts'
import type { Viewer } from './user-store.ts'

const LONGEST_ATTRIBUTE_NAME_BYTES = 64
const LONGEST_ATTRIBUTE_VALUE_BYTES = 1024
/** `username` is the viewer's own name to `HASH_PARAMETERS`; the others are what every object has. */
const TAKEN_ATTRIBUTE_NAMES = new Set(['username', '__proto__', 'constructor', 'prototype'])

/** The name as it is kept and shown: one spelling for what looks the same. */
export function canonicalText(text: string): string {
  return text.normalize('NFC')
}

/** What two spellings of one name have in common: canonical form and lower case, in no country's own way. */
export function usernameKey(username: string): string {
  return canonicalText(canonicalText(username).toLowerCase())
}

/**
 * Why a text cannot be a user name, as the end of a sentence that begins with what it is; null when it can. A name that
 * no authentication response could carry would let its viewer sign in and never watch.
 */
export function faultInUsername(username: string): string | null {
  // Before the canonical form is made, which costs time in proportion to the text.
  if (username.length > 255) return 'is longer than 255 bytes in UTF-8'
  return faultInValue(canonicalText(username)) ?? faultAtTheEnds(username)
}

/** Why a text cannot name a group, in the same form. */
export function faultInGroup(group: string): string | null {
  if (group.includes(',')) return 'contains a comma, which separates groups in the settings'
  return faultInValue(canonicalText(group)) ?? faultAtTheEnds(group)
}

/** Why a text cannot name an attribute, in the same form. */
export function faultInAttributeName(name: string): string | null {
  if (TAKEN_ATTRIBUTE_NAMES.has(name)) return 'is reserved'
  if (/[=,]/.test(name)) return 'holds a "=" or a comma, which separate attributes in the settings'
  if (Buffer.byteLength(name) > LONGEST_ATTRIBUTE_NAME_BYTES) {
    return `is longer than ${LONGEST_ATTRIBUTE_NAME_BYTES} bytes in UTF-8`
  }
  return faultInValue(canonicalText(name)) ?? faultAtTheEnds(name)
}

/** Why a text cannot be an attribute's value, in the same form. It may be empty, and hold what no parameter can. */
export function faultInAttributeValue(value: string): string | null {
  if (/\p{Cc}/u.test(value)) return 'contains a control character'
  if (!value.isWellFormed()) return 'contains half of a character (a lone surrogate)'
  if (Buffer.byteLength(value) > LONGEST_ATTRIBUTE_VALUE_BYTES) {
    return `is longer than ${LONGEST_ATTRIBUTE_VALUE_BYTES} bytes in UTF-8`
  }
  return null
}

/** Why a viewer cannot be kept, as a whole sentence; null when one can. */
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

/** The viewer as kept: every text in its canonical form, every group once. */
export function canonicalViewer({ username, groups, attributes }: Viewer): Viewer {
  const pairs = Object.entries(attributes).map((pair) => pair.map(canonicalText))
  return {
    username: canonicalText(username),
    groups: [...new Set(groups.map(canonicalText))],
    attributes: Object.fromEntries(pairs),
  }
}

function faultAtTheEnds(text: string): string | null {
  return text.trim() === text ? null : 'begins or ends with white space'
}
