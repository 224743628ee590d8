import type { Coded } from '../errors.ts'
import type { UserStore, Viewer, ViewerState } from './user-store.ts'

/** A viewer of the store, who may be disabled. */
export interface ListedViewer extends Viewer {
  readonly disabled: boolean
}

export type Change =
  | { readonly ok: true; readonly viewer: ListedViewer }
  /** A sentence for the user of the command. */
  | ({ readonly ok: false; readonly fault: string } & Coded)

/** Changes viewers one by one. Each function throws an UpstreamError when the store cannot be reached. */
export interface ViewerEditor extends UserStore {
  inspect: Required<UserStore>['inspect']
  /**
   * Adds a new viewer. The password must follow the rules for new passwords. All texts are stored in NFC.
   * @param password null for a viewer who cannot sign in before setting a password by a link.
   */
  add(viewer: Viewer, password: string | null): Promise<Change>
  /** Lists all viewers, sorted by name. */
  list(): AsyncIterable<ViewerState>
  /** Returns the viewer of this name, disabled or not. */
  show(username: string): Promise<Change>
  setPassword(username: string, password: string): Promise<Change>
  setDisabled(username: string, disabled: boolean): Promise<Change>
  /** Deletes the viewer. */
  remove(username: string): Promise<Change>
}
