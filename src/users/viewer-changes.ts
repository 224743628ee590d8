import { isDeepStrictEqual } from 'node:util'
import type { Brought, BroughtViewer, Change, EditableUserStore, ListedViewer } from './editable-user-store.ts'
import type { StoredViewer } from './passwords/verify-sign-in.ts'
import type { Viewer } from './user-store.ts'
import { canonicalViewer } from './viewer-fields.ts'

/** What every store that can be edited answers in the same words. */

export function listed({ viewer, disabled }: StoredViewer): ListedViewer {
  return { ...viewer, disabled }
}

export function nobody(username: string): Change {
  return { ok: false, fault: `There is no viewer ${JSON.stringify(username)}.` }
}

export function exists({ username }: Viewer): Change {
  return { ok: false, fault: `There is a viewer ${JSON.stringify(username)} already.` }
}

/** What was told of a viewer over what is known; the spelling of the name stays. */
function merged(brought: BroughtViewer, known: Viewer): Viewer {
  const attributes: Record<string, string> = { ...known.attributes }
  for (const [name, value] of Object.entries(brought.attributes)) {
    if (value === null) delete attributes[name]
    else attributes[name] = value
  }
  return canonicalViewer({ username: known.username, groups: brought.groups ?? known.groups, attributes })
}

/** A viewer who was not known before, as brought. */
export function newcomer(brought: BroughtViewer): Viewer {
  return merged(brought, { username: brought.username, groups: [], attributes: {} })
}

type Existing = Parameters<EditableUserStore['bring']>[1]

/** Whether the store must be asked for who is there already; else they stay as they are. */
export function mayChange({ passwordHash }: BroughtViewer, existing: Existing): boolean {
  return existing === 'update' || passwordHash === null
}

/** What bringing comes to for a name that was not added: with `updated`, what is to be kept from now on. */
export function broughtOver(
  brought: BroughtViewer,
  there: StoredViewer | null,
  existing: Existing,
):
  | { readonly outcome: Exclude<Brought, 'added' | 'updated'> }
  | { readonly outcome: 'updated'; readonly viewer: Viewer; readonly disabled: boolean } {
  if (there === null) return { outcome: 'no-password' }
  const before = { viewer: there.viewer, disabled: there.disabled }
  const after = { viewer: merged(brought, there.viewer), disabled: brought.disabled ?? there.disabled }
  if (existing === 'keep' || isDeepStrictEqual(after, before)) return { outcome: 'unchanged' }
  return { outcome: 'updated', ...after }
}
