import { ConfigError } from '../errors.ts'
import type { UserStoreSettings } from './open-user-store.ts'
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

/**
 * Makes the place for viewers in the chosen store, or brings it to the version of this app; changes nothing where it is.
 * @returns null for a store that does so whenever it is opened.
 * @throws ConfigError when the settings name what cannot be used, or a store whose viewers are looked after elsewhere.
 * @throws UpstreamError when the store cannot be reached.
 */
export async function migrateUserStore(settings: UserStoreSettings): Promise<Migration | null> {
  if (settings.kind === 'postgres') {
    const { migratePostgres } = await import('./postgres/editable-store.ts')
    return await migratePostgres(settings)
  }
  await (await openEditableUserStore(settings)).close()
  return null
}

/**
 * Opens the chosen store to change its viewers.
 * @throws ConfigError when the settings name what cannot be used, or a store whose viewers are looked after elsewhere.
 */
export async function openEditableUserStore(settings: UserStoreSettings): Promise<EditableUserStore> {
  switch (settings.kind) {
    case 'sqlite': {
      const { openEditableSqliteStore } = await import('./sqlite/editable-store.ts')
      return openEditableSqliteStore(settings.file)
    }
    case 'postgres': {
      const { openEditablePostgresStore } = await import('./postgres/editable-store.ts')
      return await openEditablePostgresStore(settings)
    }
    case 'ldap':
      throw new ConfigError('The viewers are in the directory of USER_STORE_URL: look after them there.')
    case 'http':
      throw new ConfigError('The viewers are in the login service of USER_STORE_URL: look after them there.')
    // A store that a fork adds, and has no case here.
    default:
      throw new ConfigError('The viewers are in the store of USER_STORE_URL: look after them there.')
  }
}
