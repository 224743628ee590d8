import { sentence, type Texts, textsOf } from '../../../languages/languages.ts'
import { buildMail, type MailContent, type MailFrame } from '../../../services/mail/layout.ts'
import { isMailAddress } from '../../../services/mail/settings.ts'
import type { Mail } from '../../../services/mail/smtp.ts'
import type { Viewer } from '../../../users/user-store.ts'

/** The recipient of a mail, and the values in its text. */
export interface MailContext extends MailFrame {
  /** The name in the greeting. */
  readonly name: string
  readonly username: string
}

/** A name without the form of an address, because mail programs make a link of it. */
const NAME = /^(?!.*\.[\p{L}\p{N}]{2})[\p{L}\p{N}][\p{L}\p{M}\p{N} .,'’()-]{0,63}$/u

/**
 * Returns the mail address of a viewer; null without a usable one.
 * @param attribute the attribute that holds it, or `username`.
 */
export function mailAddressOf({ username, attributes }: Viewer, attribute: string): string | null {
  const address = attribute === 'username' ? username : (attributes[attribute] ?? '')
  return isMailAddress(address) ? address : null
}

/** Returns the name of a viewer in the greeting: of the attribute if it is a name, else the user name. */
export function greetingNameOf({ username, attributes }: Viewer, attribute: string | null): string {
  const name = (attribute !== null && attributes[attribute]?.trim()) || ''
  return NAME.test(name) ? name : username
}

/** Builds the mail with a link to reset the password. */
export function resetMail(context: MailContext, address: string, lifeMinutes: number): Mail {
  const { account } = textsOf(context.language)
  const { mail } = account
  const expiry = sentence(context.language, account.expiresInMinutes, { count: lifeMinutes })
  const link = { address, text: mail.setPassword }
  return build(context, { subject: mail.resetSubject, above: [mail.reset], link, below: [expiry, mail.resetIgnore] })
}

/** Builds a notice. @param mailOf returns its texts, in which `{username}` and `{service}` are replaced. */
export function noticeMail(
  context: MailContext,
  mailOf: (texts: Texts) => { readonly subject: string; readonly paragraphs: readonly string[] },
  resetAddress: string,
): Mail {
  const texts = textsOf(context.language)
  const { subject, paragraphs } = mailOf(texts)
  const link = { address: resetAddress, text: texts.account.mail.resetPassword }
  return build(context, { subject, above: paragraphs, link, below: [] })
}

/**
 * Builds the mail that invites a viewer to set the first password.
 * @param occasion what the viewer is invited to, in one line; null for no such line.
 * @param own paragraphs of the operator.
 */
export function invitationMail(
  context: MailContext,
  address: string,
  lifeDays: number,
  { occasion = null, own = [] }: { readonly occasion?: string | null; readonly own?: readonly string[] } = {},
): Mail {
  const { account } = textsOf(context.language)
  const { mail } = account
  const expiry = sentence(context.language, account.expiresInDays, { count: lifeDays })
  const link = { address, text: mail.setPassword }
  return build(context, {
    subject: mail.inviteSubject,
    occasion,
    own,
    above: [mail.invite],
    link,
    below: [mail.inviteUsername, expiry],
  })
}

/** Replaces the name of the viewer and of this app, and adds the greeting. */
function build(context: MailContext, content: Omit<MailContent, 'greeting'>): Mail {
  const { name, username, service, language } = context
  // Only texts of the catalog have braces to replace; a link or an address has none.
  const fillIn = (text: string) => sentence(language, text, { username, service })
  const greeting = sentence(language, textsOf(language).mail.greeting, { username: name })
  const subject = fillIn(content.subject)
  const above = content.above.map(fillIn)
  const below = content.below.map(fillIn)
  return buildMail(context, { ...content, subject, greeting, above, below })
}
