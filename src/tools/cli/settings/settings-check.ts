import type { Config } from '../../../config.ts'
import type { StoreChecks, StoreFinding } from '../../../users/store-check/store-check.ts'
import type { Lazy } from '../lazy.ts'
import type { CommandIo } from '../terminal/io.ts'

/** What a feature knows of valid settings, for `config check` and `store check`. */
export interface SettingsCheck {
  /** Returns faults: the app does not start, or refuses viewers. */
  faultsIn?(config: Config): Promise<readonly string[]>
  /** Returns what stores and files say. */
  notesOn?(config: Config): Promise<readonly string[]>
  /** A store besides the user store. A URL of `store check` names a user store, so others are checked only without one. */
  readonly store?: {
    /** The end of a sentence in the help. */
    readonly about: string
    check(env: CommandIo['env'], checks: StoreChecks): AsyncIterable<StoreFinding>
  }
}

/** The part of a feature that `config check` and `store check` use. */
export interface HasSettingsCheck {
  readonly settings?: Lazy<SettingsCheck>
}
