import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { noSuchViewer } from '../../../users/viewer-changes.ts'
import { withEditableStore } from '../../cli/settings/editable-store.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../../cli/terminal/command.ts'
import { printable } from '../../cli/terminal/text.ts'
import type { InvitationOptions } from '../../cli/viewers/inviting.ts'
import { invitations } from './invitations.ts'
import { listOpenInvitations, resendAndPrint } from './open-invitations.ts'

interface InviteOptions extends InvitationOptions {
  readonly json?: boolean
  readonly revoke?: boolean
  readonly pending?: boolean
  readonly resend?: boolean
  readonly group?: string
}

/** Adds `viewers invite`: sends invitations again, revokes them, or lists those that nobody has followed yet. */
export function addViewersInviteCommand(group: Command, context: CommandContext): void {
  const command = addCommand(group, 'invite [USERNAME]', 'invite viewers again, or revoke an invitation', [
    'viewer-auth viewers invite ada@example.com',
    'viewer-auth viewers invite ada@example.com --links link.csv',
    'viewer-auth viewers invite ada@example.com --revoke',
    'viewer-auth viewers invite --pending',
    'viewer-auth viewers invite --resend --per-minute 30 --for "Annual meeting, 27 November 20:00"',
  ])
  invitations
    .addOptions(command)
    .option('--revoke', 'end all links of the viewer, also those to reset a password')
    .option('--pending', 'list the viewers who have not yet followed their invitation')
    .option('--resend', 'send a new link to all viewers who have not yet followed their invitation')
    .option('--group <NAME>', 'with --pending or --resend: only members of this group')
    .action((username: string | undefined, options: InviteOptions) => {
      const { pending, resend, revoke } = options
      const ways = [username !== undefined, pending, resend].filter(Boolean).length
      if (ways !== 1) command.error('error: give a USERNAME, --pending or --resend')
      if (revoke && username === undefined) command.error('error: --revoke needs a USERNAME')
      if (options.group !== undefined && username !== undefined)
        command.error('error: --group needs --pending or --resend')
      return runCommand(context, options.json, () =>
        withEditableStore(context.io, (store) => workOf(context, store, username, options)),
      )
    })
}

function workOf(
  context: CommandContext,
  store: EditableUserStore,
  username: string | undefined,
  options: InviteOptions,
): Promise<Outcome> {
  if (options.pending) return listOpenInvitations(context, store, options)
  if (options.revoke && username !== undefined) return revokeLinks(store, username)
  return invitations.withInviter(context, options, (inviter) =>
    username === undefined ? resendAndPrint(context, store, inviter, options) : inviter.invite(store, username),
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
