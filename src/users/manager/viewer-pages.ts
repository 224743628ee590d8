import { isDeepStrictEqual } from 'node:util'
import { noPasswordHash } from '../passwords/argon2.ts'
import type { Viewer, ViewerState } from '../user-store.ts'
import type { Change } from '../viewer-editor.ts'

/** Which viewers a list has. */
export interface ViewerFilter {
  /** A part of the user name, or of the value of an attribute, in any case. Empty for all. */
  readonly text: string
  /** Members of this group. Empty for all. */
  readonly group: string
  /** `invited` and `not-invited`: without a password, with and without an invitation that was sent. */
  readonly state: 'all' | 'active' | 'disabled' | 'no-password' | 'invited' | 'not-invited'
  /** Members of one of these groups. Null for all. */
  readonly oneOf: readonly string[] | null
}

/** A change, or `changed` if another program changed the viewer in the meantime. */
export type Replacement = Change | { readonly ok: false; readonly fault: 'changed' }

/** Lists and changes viewers, for the page for managers. */
export interface PagesViewers {
  /** Returns viewers in the order of their keys. @param after the key of the last viewer before the page. */
  page(filter: ViewerFilter, after: string, limit: number): Promise<readonly ViewerState[]>
  count(filter: ViewerFilter): Promise<number>
  /** Replaces groups and attributes, if they are still as in `before`. */
  replace(before: Viewer, after: Viewer): Promise<Replacement>
  /** Gives a viewer another name. All rows of the viewer follow; links end, because they were sent to the old name. */
  rename(username: string, newName: string): Promise<Change>
}

/** A part of the hash of every viewer without a password, and of no other hash. */
export const NO_PASSWORD_SALT = `$${noPasswordHash().split('$')[4] ?? ''}$`

/**
 * Returns a text as it may stand in an attribute: in lower case, and with capitals. Databases know only ASCII letters in
 * both cases.
 */
export function spellingsOf(text: string): readonly [lower: string, capitals: string] {
  const lower = text.toLowerCase()
  return [lower, lower.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())]
}

/** True if two states of a viewer have the same groups and attributes. */
export function isSameViewer(one: Viewer, other: Viewer): boolean {
  return isDeepStrictEqual([one.groups, one.attributes], [other.groups, other.attributes])
}
