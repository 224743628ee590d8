import type { Command } from 'commander'
import type { Outcome } from '../command.ts'

/** Something else that `secret generate` can make. */
export interface SecretKind {
  readonly example: string
  addOptions(command: Command): void
  /** Returns null if the options of the command do not ask for it. */
  generate(command: Command): Outcome | null
}
