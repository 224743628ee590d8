import type { Environment, ReadSettings } from '../settings/fields.ts'
import type { Settings as SettingSchemas } from '../settings/setting.ts'
import type { EditableStoreOptions, EditableUserStore } from './editable-user-store.ts'
import type { UserStore, Warn } from './user-store.ts'

/** The settings of a store. Only the kind of store that read them looks inside. */
export interface StoreSettings {
  readonly kind: string
}

/**
 * One kind of user store: an entry of the list in `open-user-store.ts`. Opening a store throws a ConfigError when its
 * settings cannot be used.
 */
export interface UserStoreKind<Settings extends StoreSettings = StoreSettings> {
  /** Marks the settings of this kind. */
  readonly kind: Settings['kind']
  /** The form of its USER_STORE_URL, as in `sqlite:FILE`. */
  readonly urlForm: string
  /** The value of USER_STORE_URL where it is not set. Absent if this store must be chosen. */
  readonly defaultUrl?: string
  /** True if this value of USER_STORE_URL chooses the store. */
  isUrl(url: string): boolean
  /** Returns the file of the viewers for such a value. Absent if the viewers are in no file. */
  fileOf?(url: string): string
  /** The schemas of its settings besides USER_STORE_URL, by name. They are mistakes while another store is chosen. */
  readonly settings: SettingSchemas
  /**
   * Reads the settings, or lists all mistakes by the names of the settings. No message repeats a value.
   * @param url the value of USER_STORE_URL, for which `isUrl` is true.
   */
  read(url: string, environment: Environment): ReadSettings<Settings>
  /** True if a store with these settings is an `OwnUserStore`. Absent if no store of this kind is one. */
  isOwn?(settings: Settings): boolean
  /**
   * Returns why the store cannot find viewers by a mail address in this attribute, as the end of a sentence; null if it
   * can. Absent if no store of this kind can.
   */
  faultInLookup?(settings: Settings, attribute: string): string | null
  /** Opens the store for the login screens. */
  open(settings: Settings, warn: Warn): Promise<UserStore>
  /** Opens the store for the `viewers` commands. Absent if this app cannot change its viewers. */
  openEditable?(settings: Settings, options: EditableStoreOptions): Promise<EditableUserStore>
}
