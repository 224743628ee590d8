import type { Command } from 'commander'
import type { PasswordHashing } from '../../../users/passwords/argon2.ts'
import type { ColumnOptions } from '../import/viewer-file.ts'

/** Options of the import for further forms of hashes. */
export interface HashOptions {
  /** The forms, for the help, each after a comma. */
  readonly forms: string
  addTo(command: Command): void
  /** The hashes that the import accepts. */
  passwordsOf(options: object): PasswordHashing
  /** @throws ConfigError for a file of parameters that is unusable. */
  saltedHashOf(options: object): ColumnOptions['saltedHash']
}
