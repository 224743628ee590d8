import { isDeepStrictEqual } from 'node:util'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import type { Viewer } from '../user-store.ts'
import { canonicalViewer } from '../viewer-fields.ts'

/** A viewer from another system. Fields that the other system did not have are undefined. */
export interface ImportedViewer {
  readonly username: string
  /** A hash that this app can verify. Null keeps the password of an existing viewer, and adds no new viewer. */
  readonly passwordHash: string | null
  readonly groups: readonly string[] | undefined
  readonly disabled: boolean | undefined
  /** Null removes the attribute. */
  readonly attributes: Readonly<Record<string, string | null>>
}

export type ImportOutcome = 'added' | 'updated' | 'unchanged' | 'no-password'

/** Imports and exports many viewers, for commands. */
export interface MovesViewers {
  /**
   * Adds many viewers in one transaction. Names, groups and attributes must be valid. The password of an existing viewer
   * never changes, since it may be newer than the imported one.
   * @returns the outcome for each viewer, in order.
   */
  importBatch(viewers: readonly ImportedViewer[], existing: Existing): Promise<ImportOutcome[]>
  /** Returns all viewers with their password hashes, sorted by name. */
  exportAll(): AsyncIterable<StoredViewer>
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

/** `update` gives existing viewers the imported groups, state and attributes; `keep` skips them. */
export type Existing = 'update' | 'keep'

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
