import type { Command } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { invitations } from '../../features/account/invitations.ts'
import type { CommandContext } from '../command.ts'
import type { InvitationOptions, Inviter, Inviting } from './inviting.ts'

const WAYS: readonly Inviting[] = [
  invitations, //
]

/** Adds `--invite` with its options, if this app can invite viewers. */
export function addInviteOption(command: Command, summary: string): Command {
  return WAYS.reduce((extended, way) => way.addOptions(extended.option('--invite', summary)), command)
}

/** Returns the attribute to which invitations go, or `username`. Null if this app cannot invite viewers. @throws ConfigError */
export function invitationAttribute(env: CommandContext['io']['env']): string | null {
  return WAYS[0]?.addressAttribute(env) ?? null
}

/** Opens the inviter, does the work and closes the inviter. @throws ConfigError as `withInviter` of the way. */
export function withInviter<T>(
  context: Pick<CommandContext, 'io'>,
  options: InvitationOptions,
  work: (inviter: Inviter) => Promise<T>,
): Promise<T> {
  const [way] = WAYS
  if (!way) throw new ConfigError('This app cannot invite viewers.')
  return way.withInviter(context, options, work)
}
