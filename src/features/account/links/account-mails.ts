import { type Language, sentence, type Texts, textsOf } from '../../../languages/languages.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { isMailAddress } from '../mail/settings.ts'
import type { Mail } from '../mail/smtp.ts'

/** The recipient of a mail, and the values in its text. */
export interface MailContext {
  readonly to: string
  readonly username: string
  /** The name of this app in the mail. */
  readonly service: string
  readonly language: Language
}

/**
 * Returns the mail address of a viewer; null without a usable one.
 * @param attribute the attribute that holds it, or `username`.
 */
export function mailAddressOf({ username, attributes }: Viewer, attribute: string): string | null {
  const address = attribute === 'username' ? username : (attributes[attribute] ?? '')
  return isMailAddress(address) ? address : null
}

/** Builds the mail with a link to reset the password. */
export function resetMail(context: MailContext, link: string, lifeMinutes: number): Mail {
  const { account } = textsOf(context.language)
  const { mail } = account
  const expiry = sentence(context.language, account.expiresInMinutes, { count: lifeMinutes })
  return build(context, mail.resetSubject, [mail.reset, link, expiry, mail.resetIgnore])
}

/** Builds a notice. @param mailOf returns its texts, in which `{username}` and `{service}` are replaced. */
export function noticeMail(
  context: MailContext,
  mailOf: (texts: Texts) => { readonly subject: string; readonly paragraphs: readonly string[] },
): Mail {
  const { subject, paragraphs } = mailOf(textsOf(context.language))
  return build(context, subject, paragraphs)
}

/** Builds the mail that invites a viewer to set the first password. */
export function invitationMail(context: MailContext, link: string, lifeDays: number): Mail {
  const { account } = textsOf(context.language)
  const { mail } = account
  const expiry = sentence(context.language, account.expiresInDays, { count: lifeDays })
  return build(context, mail.inviteSubject, [mail.invite, link, mail.inviteUsername, expiry])
}

function build({ to, username, service, language }: MailContext, subject: string, paragraphs: readonly string[]): Mail {
  const { mail } = textsOf(language).account
  // Only texts of the catalogue have braces to replace; a link or an address has none.
  const fillIn = (text: string) => sentence(language, text, { username, service })
  const text = [mail.greeting, ...paragraphs].map(fillIn).join('\n\n')
  return { to, subject: fillIn(subject), text: `${text}\n`, language }
}
