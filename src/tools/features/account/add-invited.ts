import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { type CommandContext, messageOf, type Outcome } from '../../cli/command.ts'
import { printable } from '../../cli/terminal/text.ts'
import type { InvitationOptions } from '../../cli/viewers/inviting.ts'
import { addInviteOption, withInviter } from '../../cli/viewers/ways-to-invite.ts'

/** `viewers add --invite`: adds a viewer without a password, and invites the viewer to set one. */
export const addInvited = {
  example: 'viewer-auth viewers add ada@example.com --invite',
  addOptions: (command: Command) => addInviteOption(command, 'send a link by which the viewer sets the password'),
  isChosen: (options: object) => 'invite' in options,
  add: (context: CommandContext, store: EditableUserStore, viewer: Viewer, options: InvitationOptions) =>
    withInviter(context, options, async (inviter) => {
      const fault = inviter.faultIn(viewer)
      if (fault !== null) return { ok: false, fault: `The viewer ${fault}. Nothing was changed.` }
      const added = await store.add(viewer, null)
      if (!added.ok) return added
      const invited = await inviter
        .invite(store, viewer.username)
        .catch((error: unknown): Outcome => ({ ok: false, fault: messageOf(error) }))
      if (invited.ok) return { ...invited, text: `Added and invited ${printable(viewer.username)}.` }
      const next = `Added ${printable(viewer.username)}, but without an invitation. ${inviter.advice}`
      return { ok: false, fault: `${invited.fault} ${next}` }
    }),
}
