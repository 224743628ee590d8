import { cleanText } from '../../typed-text.ts'
import type { Mailbox, MailServerSettings } from './settings.ts'

export interface Mail {
  /** A mail that is sent again has the same one, so that mailboxes show it once. */
  readonly id?: string
  readonly to: string
  readonly subject: string
  /** Plain text, which is complete. */
  readonly text: string
  /** The same as HTML. */
  readonly html: string
  /** See calendarFile(). */
  readonly calendar?: string
  /** A BCP 47 tag, for the header Content-Language. */
  readonly language: string
}

export type MailServer = Awaited<ReturnType<typeof openMailServer>>

interface MailFaultDetails {
  readonly isFinal: boolean
  readonly isAboutMail?: boolean
  readonly answer?: string | null
  readonly cause: unknown
}

/** A mail that was not sent. The message never contains an address or a part of the mail. */
export class MailFault extends Error {
  /** True if the server refused this mail for good: a second attempt would fail too. */
  readonly isFinal: boolean
  /** True if the server refused this recipient or this text, and may accept other mails. */
  readonly isAboutMail: boolean
  /** The words of the server about this recipient. They may have the address, so no log has them. */
  readonly answer: string | null
  constructor(message: string, { isFinal, isAboutMail = isFinal, answer = null, cause }: MailFaultDetails) {
    super(message, { cause })
    this.name = 'MailFault'
    this.isFinal = isFinal
    this.isAboutMail = isAboutMail
    this.answer = answer
  }
}

/** Returns the refusal of one mail, for a page. @throws the error if it is not about this mail alone. */
export function refusalOf(name: string, error: unknown) {
  if (!(error instanceof MailFault) || !error.isAboutMail) throw error
  const values = { name, reason: error.answer ?? error.message }
  return { ok: false, fault: error.message, code: 'mailRefused', values, mayPass: !error.isFinal } as const
}

/** Sends one mail, with a connection of its own. Returns a refusal for a page, also if the mail server is away. */
export async function sendOneMail(settings: MailServerSettings, mail: Mail) {
  const server = await openMailServer(settings)
  try {
    await server.send(mail)
    return { ok: true } as const
  } catch (error) {
    if (!(error instanceof MailFault)) throw error
    const values = { name: mail.to, reason: error.message }
    return { ok: false, fault: error.message, code: error.isAboutMail ? 'mailRefused' : 'away', values } as const
  } finally {
    server.close()
  }
}

/** The fields of an error of nodemailer. */
interface SmtpFault {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
  readonly response?: string
}

const TIMEOUT_MS = 10_000
const LONGEST_ANSWER = 200
const CONNECTIONS = 2

/** Opens a pool of two connections to the mail server. The first mail connects. */
export async function openMailServer(settings: MailServerSettings, timeoutMs = TIMEOUT_MS) {
  // Loaded late, because most installations send no mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    // This app repeats mails itself, within the life of their links.
    maxRequeues: 0,
    ...connectionOptions(settings, timeoutMs),
  })
  const closing = new AbortController()
  return {
    /** Sends a mail. @throws MailFault when the server did not accept the mail within ten seconds. */
    async send(mail: Mail): Promise<void> {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal])
      try {
        await transport.sendMail({ ...messageOf(mail, settings.from), signal })
      } catch (cause) {
        throw faultOf(cause)
      }
    },
    /** Closes all connections at once. */
    close(): void {
      // The pool closes only idle connections.
      closing.abort()
      transport.close()
    },
  }
}

/**
 * Connects to the mail server and signs in, as before a mail. Sends no mail.
 * @throws MailFault if the server refuses, or does not answer within ten seconds.
 */
export async function checkMailServer(settings: MailServerSettings, timeoutMs = TIMEOUT_MS): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(connectionOptions(settings, timeoutMs))
  try {
    await transport.verify()
  } catch (cause) {
    throw faultOf(cause)
  } finally {
    transport.close()
  }
}

function connectionOptions({ host, port, tls, ca, auth }: MailServerSettings, timeoutMs: number) {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2' as const, ...(ca === null ? {} : { ca }) },
    ...(auth && { auth: { user: auth.user, pass: auth.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Objects instead of texts, so that no name or address can add a recipient or a header. */
function messageOf({ id, to, subject, text, html, language, calendar }: Mail, from: Mailbox) {
  const file = { filename: 'event.ics', contentType: 'text/calendar; charset=utf-8', content: calendar }
  return {
    ...(id !== undefined && { messageId: `<${id}@${from.address.replace(/^.*@/, '')}>` }),
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    ...(calendar !== undefined && { attachments: [file] }),
    headers: {
      'Content-Language': language,
      // RFC 3834: no answer by an absence notice.
      'Auto-Submitted': 'auto-generated',
    },
  }
}

function faultOf(cause: unknown): MailFault {
  const { code = 'unknown', responseCode, command, response = '' } = cause as SmtpFault
  const isRefusal = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isFinal = isRefusal && (responseCode === undefined || responseCode >= 500)
  const isOfSender = command === 'MAIL FROM'
  // 421 ends the connection, whatever the command was.
  const isOfRecipient = command === 'RCPT TO' && responseCode !== 421
  const answer = responseCode === undefined ? '' : ` ${responseCode}`
  // An answer to the mail itself could repeat the address, or the link.
  const detail = isRefusal ? (isOfSender ? ' for MAIL_FROM' : '') : cause instanceof Error ? `: ${cause.message}` : ''
  const isAboutMail = isOfRecipient || (isFinal && !isOfSender)
  const words = isOfRecipient ? cleanText(response).slice(0, LONGEST_ANSWER) : null
  return new MailFault(`${code}${answer}${detail}`, { isFinal, isAboutMail, answer: words || null, cause })
}
