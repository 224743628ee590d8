import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import {
  type Existing,
  type ImportedViewer,
  type ImportOutcome,
  newViewer,
  outcomeForKnown,
} from '../../../../users/import-batch/import-rules.ts'
import type { ViewerState } from '../../../../users/user-store.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { endField } from '../end-field.ts'

type EndField = Pick<ReturnType<typeof endField>, 'namesIn' | 'endMsOf'>

const MOST_ROWS = 100

/**
 * Returns a store that says what an import would do to each viewer, and changes nothing. Its sample has the first viewers
 * as the import will store them, for the page.
 */
export function dryStore(store: EditableUserStore, ends: EndField) {
  const sample: object[] = []
  /** The viewers of the last batch, as they would be stored. */
  const stored = new Map<string, ViewerState['viewer']>()
  async function preview(imported: ImportedViewer, existing: Existing) {
    const known = await store.show(imported.username)
    if (!known.ok) {
      const outcome = imported.passwordHash === null ? 'no-password' : 'added'
      return { outcome, viewer: newViewer(imported), disabled: imported.disabled ?? false } as const
    }
    const { disabled, ...viewer } = known.viewer
    return { viewer, disabled, ...outcomeForKnown(imported, { viewer, disabled, passwordHash: '' }, existing) }
  }
  return {
    sample,
    show: (username: string) => store.show(username),
    async inspect(username: string): Promise<ViewerState | null> {
      const viewer = stored.get(usernameKey(username))
      return viewer ? { hasPassword: false, invitation: null, ...(await store.inspect(username)), viewer } : null
    },
    async importBatch(viewers: readonly ImportedViewer[], existing: Existing): Promise<ImportOutcome[]> {
      const all = await Promise.all(viewers.map((viewer) => preview(viewer, existing)))
      stored.clear()
      for (const { viewer, disabled } of all) stored.set(usernameKey(viewer.username), { ...viewer, disabled })
      for (const { outcome, viewer, disabled } of all.slice(0, MOST_ROWS - sample.length)) {
        const { attributes } = viewer
        const end = { endNames: ends.namesIn(attributes), untilMs: ends.endMsOf(attributes) }
        sample.push({ outcome, disabled, ...viewer, ...end })
      }
      return all.map(({ outcome }) => outcome)
    },
  }
}
