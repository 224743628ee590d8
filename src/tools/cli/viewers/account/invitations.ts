import { MailFault } from '../../../../features/mail/smtp.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import { noSuchViewer } from '../../../../users/viewer-changes.ts'
import type { Outcome } from '../../command.ts'
import { printable } from '../../terminal/text.ts'
import type { Inviting } from '../inviting.ts'
import { addInvitationOptions, type LinkSender, openLinkSender } from './link-sender.ts'

/** Invitations by mail, or in a file of links. */
export const invitations: Inviting = {
  addOptions: addInvitationOptions,
  async withInviter({ io }, options, work) {
    const sender = await openLinkSender(io, options)
    try {
      return await work({
        advice: 'Send it with viewers invite.',
        faultIn: (viewer) => sender.faultIn(viewer),
        invite: (store, username) => invite(store, sender, username),
      })
    } finally {
      sender.close()
    }
  },
}

async function invite(store: EditableUserStore, sender: LinkSender, username: string): Promise<Outcome> {
  const known = await store.inspect(username)
  if (known === null) return noSuchViewer(username)
  const { viewer, hasPassword } = known
  const name = printable(viewer.username)
  if (hasPassword) {
    return { ok: false, fault: `${name} has a password already. To set another one, run viewers set-password.` }
  }
  const fault = viewer.disabled ? 'is disabled. Run viewers enable first' : sender.faultIn(viewer)
  if (fault !== null) return { ok: false, fault: `${name} ${fault}.` }
  try {
    const invitation = await sender.send(store, viewer.username)
    if (invitation === null) return { ok: false, fault: `${name} was changed by another command. Try again.` }
    const expiresAt = new Date(invitation.expiresAtSeconds * 1000).toISOString()
    return { ok: true, text: `Invited ${name}. The link works until ${expiresAt}.`, data: { ...viewer, expiresAt } }
  } catch (error) {
    if (!(error instanceof MailFault)) throw error
    return { ok: false, fault: `The mail server refuses the invitation of ${name} (${error.message}).` }
  }
}
