import type { UserStore, Viewer } from './user-store.ts'

/** A viewer as the command line shows one. */
export interface ListedViewer extends Viewer {
  readonly disabled: boolean
}

/** A viewer brought along from another system. What the other system did not tell is undefined. */
export interface BroughtViewer {
  readonly username: string
  /** In a form that can be verified; null leaves the password of a viewer who is there, and adds nobody. */
  readonly passwordHash: string | null
  readonly groups: readonly string[] | undefined
  readonly disabled: boolean | undefined
  /** Null for an attribute that the viewer shall not have. */
  readonly attributes: Readonly<Record<string, string | null>>
}

export type Brought = 'added' | 'updated' | 'unchanged' | 'no-password'

export type Change =
  | { readonly ok: true; readonly viewer: ListedViewer }
  /** A whole sentence for whoever asked for the change. */
  | { readonly ok: false; readonly fault: string }

/** A store that this app itself looks after: for the command line only, the login screens never need it. */
export interface EditableUserStore extends UserStore {
  /**
   * Adds a viewer who is not there yet, with a password that may be chosen. Names, groups and attributes are kept in NFC.
   * @throws UpstreamError when the store cannot be reached.
   */
  add(viewer: Viewer, password: string): Promise<Change>
  /** All viewers, by name. @throws UpstreamError when the store cannot be reached. */
  list(): AsyncIterable<ListedViewer>
  /** The viewer of this name, disabled or not. @throws UpstreamError when the store cannot be reached. */
  show(username: string): Promise<Change>
  /** @throws UpstreamError when the store cannot be reached. */
  setPassword(username: string, password: string): Promise<Change>
  /** @throws UpstreamError when the store cannot be reached. */
  setDisabled(username: string, disabled: boolean): Promise<Change>
  /**
   * Adds many viewers in one transaction: after it all are there, or none. Their names, groups and attributes must be
   * free of faults. Of a viewer who is there already the password is never changed, since it may be a newer one.
   * @param existing whether such a viewer gets the groups, state and attributes that were told, or is left alone.
   * @returns what became of each, in order.
   * @throws UpstreamError when the store cannot be reached.
   */
  bring(viewers: readonly BroughtViewer[], existing: 'update' | 'keep'): Promise<Brought[]>
  /** Forgets the viewer. @throws UpstreamError when the store cannot be reached. */
  remove(username: string): Promise<Change>
}

/** The version of a table before and after; 0 where there was none. */
export interface Migration {
  readonly from: number
  readonly to: number
}
