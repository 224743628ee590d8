import type { OwnUserStore, Viewer, ViewerState } from './user-store.ts'

/** A viewer on the command line. */
export interface ListedViewer extends Viewer {
  readonly disabled: boolean
}

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

export type Change =
  | { readonly ok: true; readonly viewer: ListedViewer }
  /** A sentence for the user of the command. */
  | { readonly ok: false; readonly fault: string }

export interface EditableStoreOptions {
  /** Words that a new password may not consist of, besides the user name. */
  readonly contextWords?: readonly string[]
}

/** A store whose viewers this app manages. Only the command line uses it; the login screens never do. */
export interface EditableUserStore extends OwnUserStore {
  /**
   * Adds a new viewer. The password must follow the rules for new passwords. All texts are stored in NFC.
   * @param password null for a viewer who cannot sign in before setting a password by a link.
   * @throws UpstreamError when the store cannot be reached.
   */
  add(viewer: Viewer, password: string | null): Promise<Change>
  /** Lists all viewers, sorted by name. @throws UpstreamError when the store cannot be reached. */
  list(): AsyncIterable<ViewerState>
  /** Returns the viewer of this name, disabled or not. @throws UpstreamError when the store cannot be reached. */
  show(username: string): Promise<Change>
  /** @throws UpstreamError when the store cannot be reached. */
  setPassword(username: string, password: string): Promise<Change>
  /** @throws UpstreamError when the store cannot be reached. */
  setDisabled(username: string, disabled: boolean): Promise<Change>
  /**
   * Adds many viewers in one transaction. Names, groups and attributes must be valid. The password of an existing
   * viewer never changes, since it may be newer than the imported one.
   * @param existing `update` gives existing viewers the imported groups, state and attributes; `keep` skips them.
   * @returns the outcome for each viewer, in order.
   * @throws UpstreamError when the store cannot be reached.
   */
  importBatch(viewers: readonly ImportedViewer[], existing: 'update' | 'keep'): Promise<ImportOutcome[]>
  /** Deletes the viewer. @throws UpstreamError when the store cannot be reached. */
  remove(username: string): Promise<Change>
}

/** The version of a table before and after a migration; 0 for a new table. */
export interface Migration {
  readonly from: number
  readonly to: number
}
