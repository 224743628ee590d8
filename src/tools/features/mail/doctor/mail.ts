import type { Config } from '../../../../config.ts'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { features } from '../../../../features.ts'
import { isMailAddress, type MailServerSettings, mailServerSettingsOf } from '../../../../services/mail/settings.ts'
import { checkMailServer, MailFault, openMailServer } from '../../../../services/mail/smtp.ts'
import type { FeatureCheck } from '../../../cli/doctor/feature-check.ts'
import { type Finding, failure, ok, unknown, warning } from '../../../cli/doctor/finding.ts'

const TLS = { implicit: 'TLS', starttls: 'STARTTLS', none: 'no TLS, because it is on this machine' } as const
/** The features of an entry point whose guests need a mail to get in. */
const WITH_CODES = features.filter(({ needs = {} }) => 'mailCodes' in needs).map(({ name }) => name)

type CheckedConfig = Pick<Config, 'features'> & {
  readonly entryPoints: readonly Pick<EntryPoint, 'name' | 'features'>[]
}

/**
 * Checks the connection, TLS and the login of the mail server of SMTP_URL, if there is one.
 * @param mailTo gets a real mail. Null sends none.
 */
export async function* checkMail(config: CheckedConfig, mailTo: string | null): AsyncGenerator<Finding> {
  const server = mailServerSettingsOf(config)
  if (server === null) {
    if (mailTo !== null) yield failure('no-mail-server', 'No mail was sent to the address of --mail-to: set SMTP_URL.')
    return
  }
  const waiting = config.entryPoints.filter(({ features }) => WITH_CODES.some((name) => features[name] != null))
  const found = waiting.length > 0 ? failure : warning
  const effect =
    waiting.length > 0
      ? `No guest gets a code by mail (${waiting.map(({ name }) => name).join(', ')}).`
      : 'Viewers can sign in, but get no mails.'
  const name = `The mail server ${server.host}:${server.port}`
  try {
    await checkMailServer(server)
  } catch (error) {
    if (!(error instanceof MailFault)) throw error
    if (error.message.startsWith('EAUTH')) {
      const text = `${name} refuses the login of SMTP_URL (${error.message}). ${effect} Correct the user name and password.`
      return yield found('mail-login', text)
    }
    if (/certificate|ETLS|SSL/i.test(error.message)) {
      const text = `${name} offers no TLS that can be trusted (${error.message}). ${effect} See SMTP_CA_FILE, and smtps or smtp in SMTP_URL.`
      return yield found('mail-tls', text)
    }
    return yield found(
      'mail-away',
      `${name} cannot be reached (${error.message}). ${effect} See SMTP_URL and firewalls.`,
    )
  }
  const login = server.auth === null ? 'SMTP_URL has no login' : 'it accepts the login'
  const records = `Many mailboxes refuse mails unless ${domainOf(server)} has SPF, DKIM and DMARC records: check them in its DNS.`
  const sent = mailTo === null ? ' No mail was sent.' : ''
  yield ok('mail-server', `${name} answers with ${TLS[server.tls]}; ${login}.${sent} ${records}`)
  if (mailTo === null) return
  const refused = await refusalOf(server, mailTo)
  if (refused === null) {
    const text = `${name} has accepted the mail to ${mailTo}. Look if it arrives, and not as spam. ${records}`
    yield unknown('mail-arrival', text)
  } else {
    const later = `${name} takes the mail to ${mailTo} only later (${refused.message}), as with greylisting or a full mailbox. The app tries again after 20 seconds, 2 and 10 minutes. Ask the operator of the server.`
    const hint = 'Check MAIL_FROM, and that the server passes mails on to this address.'
    yield refused.isFinal
      ? found('mail-refused', `${name} refuses the mail to ${mailTo} (${refused.message}). ${hint}`)
      : unknown('mail-later', later)
  }
}

function domainOf({ from }: Pick<MailServerSettings, 'from'>): string {
  return from.address.slice(from.address.lastIndexOf('@') + 1)
}

/** Sends a mail. Returns null, or why the server does not take it now. */
async function refusalOf(settings: MailServerSettings, to: string): Promise<MailFault | null> {
  const server = await openMailServer(settings)
  const text = 'This mail was sent by "viewer-auth doctor --mail-to". Mails of the login app arrive here.'
  try {
    await server.send({
      to,
      subject: 'Test of the login app',
      text: `${text}\n`,
      html: `<p>${text}</p>`,
      language: 'en',
    })
    return null
  } catch (error) {
    if (error instanceof MailFault) return error
    throw error
  } finally {
    server.close()
  }
}

export const mailCheck: FeatureCheck = {
  option: {
    name: 'mailTo',
    flags: '--mail-to <ADDRESS>',
    about: 'send a real mail to this address',
    fault: (value) => (isMailAddress(value) ? null : 'must be the address of one mailbox'),
  },
  async *check(config, _isAppThere, _signal, mailTo) {
    yield* checkMail(config, mailTo ?? null)
    return []
  },
}
