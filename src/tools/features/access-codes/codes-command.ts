import type { Command } from 'commander'
import type { CommandContext } from '../../cli/terminal/command.ts'
import { addCreateCommand } from './create-command.ts'
import { addListCommand } from './list-command.ts'
import { addRevokeCommand } from './revoke-command.ts'

/** Adds `codes create`, `codes list` and `codes revoke`. */
export function addCodesCommands(group: Command, context: CommandContext): void {
  addCreateCommand(group, context)
  addListCommand(group, context)
  addRevokeCommand(group, context)
}
