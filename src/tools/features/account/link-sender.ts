import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { colorsOf, DarkColor, LightColor } from '../../../brand/colors.ts'
import { entryPointSources, readEntryPointSettings, readFeatureSettings } from '../../../config.ts'
import { ConfigError, UpstreamError } from '../../../errors.ts'
import {
  greetingNameOf,
  invitationMail,
  type MailContext,
  mailAddressOf,
  resetMail,
} from '../../../features/account/links/account-mails.ts'
import { newPasswordLink } from '../../../features/account/links/addresses.ts'
import {
  createInvitation,
  type Invitation,
  type InvitationContext,
} from '../../../features/account/links/invitation.ts'
import { createReset, RESET_MINUTES } from '../../../features/account/links/reset.ts'
import { ACCOUNT_SETTINGS } from '../../../features/account/links/settings.ts'
import { knownLanguage } from '../../../languages/languages.ts'
import { calendarFile } from '../../../services/mail/calendar.ts'
import type { MailBrand } from '../../../services/mail/layout.ts'
import { MAIL_SETTINGS } from '../../../services/mail/settings.ts'
import { type Mail, MailFault, type MailServer, openMailServer } from '../../../services/mail/smtp.ts'
import { readWatchUrl, watchUrlOf } from '../../../services/watch-page/service.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer, ViewerState } from '../../../users/user-store.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { wholeNumber } from '../../cli/terminal/option-values.ts'
import type { InvitationOptions } from '../../cli/viewers/inviting.ts'
import { openLinksFile } from './links-file.ts'

/** Sends each viewer a link to set the first password, or writes the link to a file. */
export interface LinkSender {
  /** Returns why the viewer gets no link, as the end of a sentence; null otherwise. */
  faultIn(viewer: Viewer): string | null
  /**
   * Sends a link, or writes it to the file. Null for a viewer who was changed or invited meanwhile, and after a stop.
   * @param earlier the invitation of the viewer as the caller saw it.
   * @throws MailFault when the mail server refuses this mail.
   * @throws UpstreamError when the mail server refuses all mails, or the mail server or the store does not answer.
   */
  send(store: InvitingStore, username: string, earlier: Earlier): Promise<Invitation | null>
  /** Sends a link to set another password. False for a viewer who is unknown, disabled or without a mail address. */
  sendReset(store: InvitingStore, username: string): Promise<boolean>
  close(): void
}

/** True while another program sends this invitation: the invitation in the store is the claim. */
export function isBeingSent(invitation: Earlier, days: number = DEFAULT_DAYS): boolean {
  if (invitation === null || invitation.isSent) return false
  const ageSeconds = Math.floor(Date.now() / 1000) + days * DAY_SECONDS - invitation.expiresAtSeconds
  return ageSeconds >= 0 && ageSeconds < SENDING_SECONDS
}

/** True if this invitation was made at or after a UNIX time, and its mail was sent. */
export function isSentSince(invitation: Earlier, seconds: number, days: number = DEFAULT_DAYS): boolean {
  return invitation?.isSent === true && invitation.expiresAtSeconds - days * DAY_SECONDS >= seconds
}

type Earlier = ViewerState['invitation']
type InvitingStore = Pick<EditableUserStore, 'passwordChanges' | 'markSent'>

export const DEFAULT_DAYS = 7
const DAY_SECONDS = 86_400
/** Longer than a mail takes. After this time, an invitation that was not sent may be sent again. */
const SENDING_SECONDS = 30
const MOST_DAYS = 60
const MOST_PER_MINUTE = 100_000
const MOST_CHARACTERS = 100
const RETRY_MS = 2_000
const MINUTE_MS = 60_000
/** A server that defers so many recipients in a row limits all mails. */
const MOST_DEFERRED = 10

/** Adds the options of every command that invites viewers. */
export function addInvitationOptions(command: Command): Command {
  return command
    .option('--days <N>', `the days until an invitation expires (default: ${DEFAULT_DAYS})`, wholeNumber(1, MOST_DAYS))
    .option('--links <FILE>', 'write the links to a new CSV file instead of sending them')
    .option('--language <TAG>', 'the language of the mails, such as de')
    .option('--entry-point <NAME>', 'the entry point whose pages the links open')
    .option('--for <TEXT>', 'what the mails invite to, such as "Annual meeting, 27 November 20:00"', parseOccasion)
    .option('--per-minute <N>', 'the most mails in a minute (default: no limit)', wholeNumber(1, MOST_PER_MINUTE))
}

/**
 * Opens the mail server, or the file of `--links`.
 * @throws ConfigError when a setting or an option is missing or wrong.
 */
export async function openLinkSender(io: CommandIo, options: InvitationOptions): Promise<LinkSender> {
  const { publicUrl, settings } = readFeatureSettings(io.env, MAIL_SETTINGS)
  const { server } = settings
  const { addressAttribute, nameAttribute } = readFeatureSettings(io.env, ACCOUNT_SETTINGS).settings
  const context = readContext(io, options, publicUrl)
  const create = ({ passwordChanges }: InvitingStore, username: string, earlier: Earlier) =>
    createInvitation(passwordChanges, username, earlier, context, Date.now() / 1000)

  if (options.links !== undefined) return openFileSender(options.links, create)
  if (server === null)
    throw new ConfigError('SMTP_URL is not set. Set it, or write the links to a file with --links FILE.')
  const mailServer = await openMailServer(server)
  const sendMail = mailSender(mailServer)
  const stop = new AbortController()
  // Without a pace, Ctrl-C ends a command that sends one mail at once.
  const unlisten = options.perMinute === undefined ? () => {} : io.onInterrupt(() => stop.abort())
  const isTurn = createPace(options.perMinute, stop.signal)
  const mailContext = (viewer: Viewer, to: string): MailContext => {
    const name = greetingNameOf(viewer, nameAttribute)
    return { ...context, to, name, username: viewer.username, request: null }
  }
  return {
    faultIn: (viewer) =>
      mailAddressOf(viewer, addressAttribute) === null ? `has no mail address in ${addressAttribute}` : null,
    async send(store, username, earlier) {
      // A stop comes before the new link, because the new link ends the earlier one.
      if (!(await isTurn())) return null
      const invitation = await create(store, username, earlier)
      const to = invitation && mailAddressOf(invitation.viewer, addressAttribute)
      if (!invitation || to === null) return null
      const mail = mailIn(mailContext(invitation.viewer, to), invitation.link, context, options)
      await sendMail(mail).catch(async (fault: unknown) => {
        await release(store, invitation).catch(() => {})
        throw fault
      })
      await store.markSent(invitation.digest)
      return invitation
    },
    async sendReset({ passwordChanges }, username) {
      const reset = await createReset(passwordChanges, username, context, Date.now() / 1000)
      const to = reset && mailAddressOf(reset.viewer, addressAttribute)
      if (!reset || to === null) return false
      await sendMail(resetMail(mailContext(reset.viewer, to), reset.link, RESET_MINUTES))
      return true
    },
    close() {
      unlisten()
      mailServer.close()
    },
  }
}

/** Returns the invitation as an address would get it. Its link opens no account. @throws ConfigError as openLinkSender() does. */
export function sampleInvitation(io: Pick<CommandIo, 'env'>, options: InvitationOptions, to: string): Mail {
  const { publicUrl } = readFeatureSettings(io.env, MAIL_SETTINGS)
  const context = readContext(io, options, publicUrl)
  const link = newPasswordLink(publicUrl, context.basePath, 'sample')
  return mailIn({ ...context, to, name: to, username: to, request: null }, link, context, options)
}

/** Builds the mail of an invitation, with the event for the calendar of the viewer. */
function mailIn(mailContext: MailContext, link: string, context: InvitationContext, options: InvitationOptions): Mail {
  const { event, text = '', for: occasion = null, entryPoint = '' } = options
  const own = text.split('\n').filter((line) => line !== '')
  const mail = invitationMail(mailContext, link, context.lifeDays, { occasion, own })
  if (event === undefined) return mail
  const { service, watchUrl } = mailContext
  const inCalendar = { ...event, entryPoint, host: context.publicUrl.hostname, title: event.title ?? service, watchUrl }
  return { ...mail, calendar: calendarFile(inCalendar, Date.now() / 1000) }
}

function openFileSender(path: string, create: LinkSender['send']): LinkSender {
  const file = openLinksFile(path)
  return {
    faultIn: () => null,
    async send(store, username, earlier) {
      const invitation = await create(store, username, earlier)
      if (invitation === null) return null
      file.write(invitation)
      await store.markSent(invitation.digest)
      return invitation
    },
    sendReset: () => Promise.resolve(false),
    close: file.close,
  }
}

/** Ends the claim of an invitation whose mail failed, so that the same command may send it again at once. */
async function release(store: InvitingStore, { viewer, digest, expiresAtSeconds }: Invitation): Promise<void> {
  const replaces = { expiresAtSeconds, isSent: false }
  const older = { digest, expiresAtSeconds: expiresAtSeconds - SENDING_SECONDS, replaces }
  await store.passwordChanges.createLink(viewer.username, { purpose: 'invitation', ...older })
}

/**
 * Returns a function that sends mails, with one retry if the server is away for a moment. It throws a MailFault for a mail
 * that the server refuses, and an UpstreamError if the server refuses all mails.
 */
function mailSender(server: Pick<MailServer, 'send'>): (mail: Mail) => Promise<void> {
  let deferredInARow = 0
  async function sendTwice(mail: Mail): Promise<void> {
    await server.send(mail).catch(async (fault: unknown) => {
      if (fault instanceof MailFault && fault.isFinal) throw fault
      await sleep(RETRY_MS)
      await server.send(mail)
    })
    deferredInARow = 0
  }
  return async (mail) => {
    const cause: unknown = await sendTwice(mail).catch((error: unknown) => error)
    if (cause === undefined) return
    if (!(cause instanceof MailFault)) throw cause
    deferredInARow = cause.isFinal ? 0 : deferredInARow + 1
    if (cause.isAboutMail && deferredInARow < MOST_DEFERRED) throw cause
    const message = `The mail server does not accept mails (${cause.message}). Run the same command again to continue`
    throw new UpstreamError('mail-server', message, { cause })
  }
}

/**
 * Spreads mails evenly.
 * @param perMinute undefined: no limit.
 * @returns a function that waits for the turn of the next mail. It resolves with false after a stop.
 */
function createPace(perMinute: number | undefined, stop: AbortSignal): () => Promise<boolean> {
  let nextMs = 0
  return async () => {
    if (perMinute === undefined) return true
    const nowMs = performance.now()
    const turnMs = Math.max(nowMs, nextMs)
    nextMs = turnMs + MINUTE_MS / perMinute
    // The sleep rejects only after a stop.
    await sleep(turnMs - nowMs, undefined, { signal: stop }).catch(() => {})
    return !stop.aborted
  }
}

function readContext(
  { env }: Pick<CommandIo, 'env'>,
  options: InvitationOptions,
  publicUrl: URL,
): InvitationContext & Pick<MailContext, 'brand' | 'watchUrl'> {
  const { days = DEFAULT_DAYS, entryPoint: name } = options
  // With one entry point, the command needs no secret of the app.
  const [first, ...others] = entryPointSources(env).sources
  const isOnly = others.length === 0 && first?.name === 'default'
  const chosen = isOnly && !name ? null : entryPointNamed(readEntryPointSettings(env), name)
  const brandName = chosen?.brand.name ?? first?.source.given.BRAND_NAME
  const tag = options.language ?? chosen?.brand.defaultLanguage ?? (env.DEFAULT_LANGUAGE || 'en')
  const language = knownLanguage(tag)
  if (language === null)
    throw new ConfigError(`There are no texts in the language ${JSON.stringify(tag)}. Use another --language.`)
  return {
    publicUrl,
    basePath: chosen?.basePath ?? '',
    service: brandName || publicUrl.hostname,
    language,
    lifeDays: days,
    watchUrl: chosen === null ? readWatchUrl(first?.source.given ?? {}, publicUrl) : watchUrlOf(chosen),
    brand: chosen?.brand ?? brandIn(first?.source.given ?? {}),
  }
}

/** Returns what a mail shows of a brand, from settings that may be wrong: the app refuses those at its start. */
function brandIn({ BRAND_COLOR, BRAND_COLOR_DARK, HELP_URL = '' }: CommandIo['env']): MailBrand {
  const colors = colorsOf(LightColor.safeParse(BRAND_COLOR).data, DarkColor.safeParse(BRAND_COLOR_DARK).data)
  return { colors, helpUrl: /^(https?|mailto):/.test(HELP_URL) ? HELP_URL : null }
}

/** Returns a text for the subject of a mail. Refuses what could begin another header, or turn the text around. */
function parseOccasion(text: string): string {
  const occasion = text.trim()
  const isLine = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+$/u.test(occasion)
  if (isLine && occasion.length <= MOST_CHARACTERS) return occasion
  throw new InvalidArgumentError(`Use one line of at most ${MOST_CHARACTERS} characters, without control characters.`)
}
