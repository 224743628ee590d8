import type { Environment, ReadSettings } from '../../settings/fields.ts'
import type { GuestStore } from './guest-records.ts'

/** The settings of a guests store. Only its kind looks inside. */
export interface GuestStoreSettings {
  readonly kind: string
}

export interface OpenStoreDeps {
  readonly nowSeconds: () => number
  /** Called for the operator. */
  readonly warn?: (message: string, cause?: unknown) => void
  /** True for a command, which waits longer for another process. */
  readonly isCommand?: boolean
}

/** One kind of guests store. Opening one throws a ConfigError if its settings cannot be used. */
export interface RecordStoreKind<Settings extends GuestStoreSettings = GuestStoreSettings> {
  /** Marks the settings of this kind. */
  readonly kind: Settings['kind']
  /** The form of GUESTS_STORE_URL. */
  readonly urlForm: string
  isUrl(url: string): boolean
  /** Reads the settings, or lists all mistakes. No message repeats a value. */
  read(url: string, environment: Environment): ReadSettings<Settings>
  open(settings: Settings, deps: OpenStoreDeps): Promise<GuestStore>
}
