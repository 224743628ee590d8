import type { Brand } from '../../../brand/brand.ts'
import { textColorOn } from '../../../brand/contrast.ts'
import { type Language, sentence, type Texts, textsOf } from '../../../languages/languages.ts'
import { directionOf } from '../../../login/screens/page.ts'
import { compileView } from '../../../login/screens/views.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { isMailAddress } from '../../mail/settings.ts'
import type { Mail } from '../../mail/smtp.ts'

/** The recipient of a mail, and the values in its text. */
export interface MailContext {
  readonly to: string
  /** The name in the greeting. */
  readonly name: string
  readonly username: string
  /** The name of this app in the mail. */
  readonly service: string
  readonly language: Language
  readonly brand: MailBrand
  /** The page with the video. Null if it is not known. */
  readonly watchUrl: string | null
  /** Null for a mail that the viewer did not cause. */
  readonly request: MailRequest | null
}

/** What a mail shows of a brand. */
export type MailBrand = Pick<Brand, 'colors' | 'helpUrl'>

/** The request that caused a mail, so that the viewer recognizes it. */
export interface MailRequest {
  /** UNIX time in milliseconds. */
  readonly atMs: number
  /** See deviceOf(). */
  readonly device: readonly string[]
}

interface MailContent {
  readonly subject: string
  /** One line of the operator, for the subject and the beginning of the text. */
  readonly occasion?: string | null
  readonly above: readonly string[]
  readonly link: { readonly address: string; readonly text: string }
  readonly below: readonly string[]
}

/** The colours of the button without BRAND_COLOR: `--accent` in public/login.css. */
const COLORS = { light: '#2f4bd8', dark: '#8ea2ff' }
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
 */
export function invitationMail(
  context: MailContext,
  address: string,
  lifeDays: number,
  occasion: string | null = null,
): Mail {
  const { account } = textsOf(context.language)
  const { mail } = account
  const expiry = sentence(context.language, account.expiresInDays, { count: lifeDays })
  const link = { address, text: mail.setPassword }
  return build(context, {
    subject: mail.inviteSubject,
    occasion,
    above: [mail.invite],
    link,
    below: [mail.inviteUsername, expiry],
  })
}

function build(context: MailContext, content: MailContent): Mail {
  const { to, name, username, service, language, brand, watchUrl } = context
  const texts = textsOf(language)
  const { mail } = texts.account
  const { link, occasion } = content
  const lines = occasion ? [occasion] : []
  // Only texts of the catalogue have braces to replace; a link or an address has none.
  const fillIn = (text: string) => sentence(language, text, { username, service })
  const subject = [fillIn(content.subject), ...lines].join(' – ')
  const greeting = sentence(language, mail.greeting, { username: name })
  const [above, below] = [[...lines, ...content.above.map(fillIn)], content.below.map(fillIn)]
  const details = detailsOf(context)
  const watch = watchUrl === null ? null : { address: watchUrl, text: texts['watch-page'].goTo }
  const watchLine = watch === null ? [] : [`${watch.text}: ${watch.address}`]
  const help = brand.helpUrl === null ? [] : [`${texts.help}: ${brand.helpUrl}`]
  const blocks = [greeting, ...above, link.address, ...below, ...watchLine, details.join('\n'), ...help]
  const text = `${blocks.filter((block) => block !== '').join('\n\n')}\n`
  const colors = brand.colors ?? COLORS
  const look = { colors, onDark: textColorOn(colors.dark), language, direction: directionOf(language) }
  const html = htmlOf({
    ...look,
    texts,
    subject,
    service,
    greeting,
    above,
    link,
    below,
    watch,
    details,
    helpUrl: brand.helpUrl,
  })
  return { to, subject, text, html, language }
}

/** Returns the time and the device of the request, as far as known. */
function detailsOf({ request, language }: MailContext): string[] {
  if (request === null) return []
  const { mail } = textsOf(language).account
  const times = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const time = sentence(language, mail.requestTime, { time: `${times.format(request.atMs)} UTC` })
  if (request.device.length === 0) return [time]
  return [time, sentence(language, mail.requestDevice, { device: request.device.join(', ') })]
}

let template: ReturnType<typeof compileView> | undefined

function htmlOf(values: object): string {
  template ??= compileView('account/mail')
  return template(values)
}
