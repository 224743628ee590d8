import type { Command } from 'commander'
import { MailFault } from '../../../features/account/mail/smtp.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { noSuchViewer } from '../../../users/viewer-changes.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { printable } from '../terminal/text.ts'
import { addInvitationOptions, type InvitationOptions, type Inviter, openInviter } from './inviter.ts'

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
  addInvitationOptions(command)
    .option('--revoke', 'end all links of the viewer, also those to reset a password')
    .action((username: string, { json, revoke, ...options }: InviteOptions) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, (store) =>
          revoke
            ? revokeLinks(store, username)
            : withInviter(context, options, (inviter) => invite(store, inviter, username)),
        ),
      ),
    )
}

/** Opens the inviter, does the work and closes the inviter. */
export async function withInviter<T>(
  { io }: Pick<CommandContext, 'io'>,
  options: InvitationOptions,
  work: (inviter: Inviter) => Promise<T>,
): Promise<T> {
  const inviter = await openInviter(io, options)
  try {
    return await work(inviter)
  } finally {
    inviter.close()
  }
}

/** Invites a viewer who has no password yet. An earlier invitation ends. */
export async function invite(store: EditableUserStore, inviter: Inviter, username: string): Promise<Outcome> {
  const known = await store.inspect(username)
  if (known === null) return noSuchViewer(username)
  const { viewer, hasPassword } = known
  const name = printable(viewer.username)
  if (hasPassword) {
    return { ok: false, fault: `${name} has a password already. To set another one, run viewers set-password.` }
  }
  const fault = viewer.disabled ? 'is disabled. Run viewers enable first' : inviter.faultIn(viewer)
  if (fault !== null) return { ok: false, fault: `${name} ${fault}.` }
  try {
    const invitation = await inviter.invite(store, viewer.username)
    if (invitation === null) return { ok: false, fault: `${name} was changed by another command. Try again.` }
    const expiresAt = new Date(invitation.expiresAtSeconds * 1000).toISOString()
    return { ok: true, text: `Invited ${name}. The link works until ${expiresAt}.`, data: { ...viewer, expiresAt } }
  } catch (error) {
    if (!(error instanceof MailFault)) throw error
    return { ok: false, fault: `The mail server refuses the invitation of ${name} (${error.message}).` }
  }
}

async function revokeLinks(store: EditableUserStore, username: string): Promise<Outcome> {
  const known = await store.inspect(username)
  if (known === null) return noSuchViewer(username)
  const revoked = await store.revokeLinks(username)
  const name = printable(known.viewer.username)
  const text = revoked ? `Revoked all links of ${name}.` : `Nothing to revoke: ${name} has no link.`
  return { ok: true, text, data: { username: known.viewer.username, revoked } }
}
