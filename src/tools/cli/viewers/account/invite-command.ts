import type { Command } from 'commander'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import { noSuchViewer } from '../../../../users/viewer-changes.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../../command.ts'
import { withEditableStore } from '../../settings/editable-store.ts'
import { printable } from '../../terminal/text.ts'
import type { InvitationOptions } from '../inviting.ts'
import { invitations } from './invitations.ts'

interface InviteOptions extends InvitationOptions {
  readonly json?: boolean
  readonly revoke?: boolean
}

/** Adds `viewers invite`: sends an invitation again, or revokes it. */
export function addViewersInviteCommand(group: Command, context: CommandContext): void {
  const command = addCommand(group, 'invite <USERNAME>', 'invite a viewer again, or revoke the invitation', [
    'viewer-auth viewers invite ada@example.com',
    'viewer-auth viewers invite ada@example.com --links link.csv',
    'viewer-auth viewers invite ada@example.com --revoke',
  ])
  invitations
    .addOptions(command)
    .option('--revoke', 'end all links of the viewer, also those to reset a password')
    .action((username: string, { json, revoke, ...options }: InviteOptions) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, (store) =>
          revoke
            ? revokeLinks(store, username)
            : invitations.withInviter(context, options, (inviter) => inviter.invite(store, username)),
        ),
      ),
    )
}

async function revokeLinks(store: EditableUserStore, username: string): Promise<Outcome> {
  const known = await store.inspect(username)
  if (known === null) return noSuchViewer(username)
  const revoked = await store.revokeLinks(username)
  const name = printable(known.viewer.username)
  const text = revoked ? `Revoked all links of ${name}.` : `Nothing to revoke: ${name} has no link.`
  return { ok: true, text, data: { username: known.viewer.username, revoked } }
}
