import type { Coded } from '../errors.ts'
import { isNoPassword } from './passwords/argon2.ts'
import type { StoredViewer } from './passwords/verify-sign-in.ts'
import type { Viewer, ViewerState } from './user-store.ts'
import type { Change, ListedViewer } from './viewer-editor.ts'

/** Rules and results that all editable stores share. */

function toListed({ viewer, disabled }: StoredViewer): ListedViewer {
  return { ...viewer, disabled }
}

/** @param invitation null for a viewer without an invitation. */
export function toViewerState(stored: StoredViewer, invitation: ViewerState['invitation']): ViewerState {
  return { viewer: toListed(stored), hasPassword: !isNoPassword(stored.passwordHash), invitation }
}

export function noSuchViewer(username: string): Extract<Change, { ok: false }> {
  return { ok: false, fault: `There is no viewer ${JSON.stringify(username)}.`, ...coded('unknown', username) }
}

/** Returns the outcome of a change, with the viewer as stored then. */
export function toChange(username: string, stored: StoredViewer | null | undefined): Change {
  return stored ? { ok: true, viewer: toListed(stored) } : noSuchViewer(username)
}

export function viewerExists({ username }: Pick<Viewer, 'username'>): Change {
  return { ok: false, fault: `The viewer ${JSON.stringify(username)} already exists.`, ...coded('exists', username) }
}

/** Returns the code of a fault, with the name for its sentence. */
export function coded(code: string, name: string): Required<Coded> {
  return { code, values: { name } }
}
