import { isDeepStrictEqual } from 'node:util'
import type { Change, EditableUserStore, ImportedViewer, ImportOutcome, ListedViewer } from './editable-user-store.ts'
import { isNoPassword } from './passwords/no-password.ts'
import type { StoredViewer } from './passwords/verify-sign-in.ts'
import type { Viewer, ViewerState } from './user-store.ts'
import { canonicalViewer } from './viewer-fields.ts'

/** Rules and results that all editable stores share. */

export function toListed({ viewer, disabled }: StoredViewer): ListedViewer {
  return { ...viewer, disabled }
}

/** @param invitation null for a viewer without an invitation. */
export function toViewerState(stored: StoredViewer, invitation: ViewerState['invitation']): ViewerState {
  return { viewer: toListed(stored), hasPassword: !isNoPassword(stored.passwordHash), invitation }
}

export function noSuchViewer(username: string): Extract<Change, { ok: false }> {
  return { ok: false, fault: `There is no viewer ${JSON.stringify(username)}.` }
}

export function viewerExists({ username }: Viewer): Change {
  return { ok: false, fault: `The viewer ${JSON.stringify(username)} already exists.` }
}

/** Returns the known viewer with the imported values. The spelling of the name stays. */
function merged(imported: ImportedViewer, known: Viewer): Viewer {
  const attributes: Record<string, string> = { ...known.attributes }
  for (const [name, value] of Object.entries(imported.attributes)) {
    if (value === null) delete attributes[name]
    else attributes[name] = value
  }
  return canonicalViewer({ username: known.username, groups: imported.groups ?? known.groups, attributes })
}

/** Returns the viewer to store for an imported name that is not in the store. */
export function newViewer(imported: ImportedViewer): Viewer {
  return merged(imported, { username: imported.username, groups: [], attributes: {} })
}

type Existing = Parameters<EditableUserStore['importBatch']>[1]

/** True if the import may change an existing viewer, so the store has to load the viewer. */
export function mayChange({ passwordHash }: ImportedViewer, existing: Existing): boolean {
  return existing === 'update' || passwordHash === null
}

/** Returns the outcome for a name that was not added; with `updated`, also the values to store. */
export function outcomeForKnown(
  imported: ImportedViewer,
  stored: StoredViewer | null,
  existing: Existing,
):
  | { readonly outcome: Exclude<ImportOutcome, 'added' | 'updated'> }
  | { readonly outcome: 'updated'; readonly viewer: Viewer; readonly disabled: boolean } {
  if (stored === null) return { outcome: 'no-password' }
  const before = { viewer: stored.viewer, disabled: stored.disabled }
  const after = { viewer: merged(imported, stored.viewer), disabled: imported.disabled ?? stored.disabled }
  if (existing === 'keep' || isDeepStrictEqual(after, before)) return { outcome: 'unchanged' }
  return { outcome: 'updated', ...after }
}
