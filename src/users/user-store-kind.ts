import type { ReadSettings } from '../settings/fields.ts'
import type { Settings as SettingSchemas } from '../settings/setting.ts'
import type { EditableStoreOptions, EditableUserStore, Migration } from './editable-user-store.ts'
import type { UserStore, Warn } from './user-store.ts'

/** The settings of a store. Only the kind of store that read them looks inside. */
export interface StoreSettings {
  readonly kind: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The result of one check. `unknown`: not tried. The text says what was seen, then what to do. */
export interface StoreFinding {
  readonly state: 'ok' | 'warning' | 'unknown' | 'failure'
  /** For programs, such as `wrong-password`. */
  readonly code: string
  readonly text: string
}

/** Test viewers in the store. */
export interface CheckedViewers {
  /** Null without a test viewer. */
  readonly username: string | null
  /** The password of both viewers. Null: the checks that need it are left out. */
  readonly password: string | null
  /** The name of a disabled viewer. Null without one. */
  readonly disabled: string | null
}

/** Opens the store that is checked. */
export type OpenStore = (warn: Warn) => Promise<UserStore>

/** The checks of `store check`. The command line has them, because the login app checks no store. */
export interface StoreChecks {
  /**
   * Checks the promises of every store.
   * @param timeoutMs the longest answer that the app accepts; null if the store has no network.
   */
  checkStore(open: OpenStore, viewers: CheckedViewers, timeoutMs: number | null): AsyncIterable<StoreFinding>
  /**
   * Runs a check.
   * @param work returns what is wrong, or null.
   */
  check(code: string, kept: string, work: () => Promise<string | null>): Promise<StoreFinding>
  /** Returns a name that no store has. */
  unknownName(): string
}

/** One kind of user store: an entry of the list in `open-user-store.ts`. */
export interface UserStoreKind<Settings extends StoreSettings = StoreSettings> {
  /** Marks the settings of this kind. */
  readonly kind: Settings['kind']
  /** The form of its USER_STORE_URL, as in `sqlite:FILE`. */
  readonly urlForm: string
  /** True if this value of USER_STORE_URL chooses the store. */
  isUrl(url: string): boolean
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
   * Opens the store for the login screens.
   * @throws ConfigError when the settings cannot be used.
   */
  open(settings: Settings, warn: Warn): Promise<UserStore>
  /** Checks the promises of the store, for `store check`. Absent if it needs no more than `checkStore`. */
  check?(settings: Settings, viewers: CheckedViewers, checks: StoreChecks): AsyncIterable<StoreFinding>
  /**
   * Opens the store for the `viewers` commands. Absent if this app cannot change its viewers.
   * @throws ConfigError when the settings cannot be used.
   */
  openEditable?(settings: Settings, options: EditableStoreOptions): Promise<EditableUserStore>
  /**
   * Creates the tables, or updates them to the version of this app. Absent if opening the store does so.
   * @param app the settings of the login app, if they name another role: creates it, and grants it what it needs.
   * @throws ConfigError when the settings cannot be used.
   * @throws UpstreamError when the store cannot be reached.
   */
  migrate?(settings: Settings, app: Settings | null): Promise<Migration>
}
