import type { Command } from 'commander'
import type { addGroup, CommandContext } from './command.ts'
import type { Lazy } from './lazy.ts'

/** Adds options, commands and help to a command that is declared. `F`: the parts of features that it uses. */
export type Definition<F = unknown> = (command: Command, context: CommandContext<F>) => void | Promise<void>

/** A command of `viewer-auth`. */
export interface RootCommand<F = unknown> {
  readonly name: string
  readonly summary: string
  /** The command whose line in the help names this one too. */
  readonly beside?: string
  readonly declare: typeof addGroup
  /** Loads the code of the command, only if the command is among the arguments: `--help` takes half the time. */
  readonly load: Lazy<Definition<F>>
}
