import type { Config } from '../../../config.ts'
import type { Lazy } from '../lazy.ts'

/** What a feature knows of valid settings, for `config check`. */
export interface SettingsCheck {
  /** Returns faults: the app does not start, or refuses viewers. */
  faultsIn?(config: Config): Promise<readonly string[]>
  /** Returns what stores and files say. */
  notesOn?(config: Config): Promise<readonly string[]>
}

/** The part of a feature that `config check` uses. */
export interface HasSettingsCheck {
  readonly settings?: Lazy<SettingsCheck>
}
