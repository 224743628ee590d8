import { readFeatureSettings } from '../../../config.ts'
import { mailAddressOf } from '../../../features/account/links/account-mails.ts'
import { ACCOUNT_SETTINGS } from '../../../features/account/links/settings.ts'
import { refusalOf } from '../../../services/mail/smtp.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { coded, noSuchViewer } from '../../../users/viewer-changes.ts'
import { printable } from '../../cli/terminal/text.ts'
import type { Inviter, Inviting } from '../../cli/viewers/inviting.ts'
import { addInvitationOptions, isBeingSent, isSentSince, type LinkSender, openLinkSender } from './link-sender.ts'
import { resendInvitations } from './open-invitations.ts'

/** Invitations by mail, or in a file of links. */
export const invitations: Inviting = {
  addOptions: addInvitationOptions,
  addressesIn(env) {
    const { addressAttribute } = readFeatureSettings(env, ACCOUNT_SETTINGS).settings
    return (viewer) => mailAddressOf(viewer, addressAttribute)
  },
  async withInviter({ io }, options, work) {
    const sender = await openLinkSender(io, options)
    const inviteOne = (store: EditableUserStore, username: string) => invite(store, sender, username, options.days)
    try {
      return await work({
        addressAttribute: readFeatureSettings(io.env, ACCOUNT_SETTINGS).settings.addressAttribute,
        advice: 'Send it with viewers invite.',
        faultIn: (viewer) => sender.faultIn(viewer),
        invite: inviteOne,
        sendReset: (store, username) => sendReset(store, sender, username),
        wasInvitedSince: ({ invitation }, seconds) => isSentSince(invitation, seconds, options.days),
        inviteAgain: (store, again) => resendInvitations(io, store, inviteOne, { days: options.days, ...again }),
      })
    } finally {
      sender.close()
    }
  },
}

async function invite(
  store: EditableUserStore,
  sender: LinkSender,
  username: string,
  days: number | undefined,
): ReturnType<Inviter['invite']> {
  const known = await store.inspect(username)
  if (known === null) return noSuchViewer(username)
  const { viewer, hasPassword, invitation: earlier } = known
  const name = printable(viewer.username)
  if (hasPassword) {
    const fault = `${name} has a password already. To set another one, run viewers set-password.`
    return { ok: false, fault, ...coded('hasPassword', username) }
  }
  const fault = viewer.disabled ? 'is disabled. Run viewers enable first' : sender.faultIn(viewer)
  if (fault !== null)
    return { ok: false, fault: `${name} ${fault}.`, ...coded(viewer.disabled ? 'disabled' : 'noMail', username) }
  const busy = { ...coded('busy', username), mayPass: true }
  if (isBeingSent(earlier, days)) return { ok: false, fault: `${name} is being invited by another command.`, ...busy }
  try {
    const invitation = await sender.send(store, viewer.username, earlier)
    if (invitation === null) return { ok: false, fault: `${name} was changed by another command. Try again.`, ...busy }
    const expiresAt = new Date(invitation.expiresAtSeconds * 1000).toISOString()
    return { ok: true, text: `Invited ${name}. The link works until ${expiresAt}.`, data: { ...viewer, expiresAt } }
  } catch (error) {
    const refusal = refusalOf(username, error)
    return { ...refusal, fault: `The mail server refuses the invitation of ${name} (${refusal.fault}).` }
  }
}

async function sendReset(
  store: EditableUserStore,
  sender: LinkSender,
  username: string,
): ReturnType<Inviter['invite']> {
  const name = printable(username)
  try {
    if (await sender.sendReset(store, username)) return { ok: true, text: `Sent ${name} a link.` }
    return { ok: false, fault: `${name} is disabled, or has no mail address.`, ...coded('noMail', username) }
  } catch (error) {
    const refusal = refusalOf(username, error)
    return { ...refusal, fault: `The mail server refuses the mail of ${name} (${refusal.fault}).` }
  }
}
