import type { Lazy } from '../lazy.ts'
import type { CommandIo } from '../terminal/io.ts'

/** A store of a feature, whose file `backup` copies. */
export interface BackedUpStore {
  /** The name of the setting with its address. */
  readonly setting: string
  /** The name in the folder of a backup, without its end. */
  readonly name: string
  /** Reads the setting. @throws ConfigError for a wrong address. */
  read(env: CommandIo['env']): { readonly kind: string }
}

/** The part of a feature that `backup` and `restore` use. */
export interface HasBackup {
  readonly backup?: Lazy<BackedUpStore>
}
