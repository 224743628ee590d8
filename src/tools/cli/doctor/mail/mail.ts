import type { Config } from '../../../../config.ts'
import { mailServerSettingsOf } from '../../../../features/mail/settings.ts'
import { checkMailServer, MailFault } from '../../../../features/mail/smtp.ts'
import { type Finding, ok, warning } from '../finding.ts'

const TLS = { implicit: 'TLS', starttls: 'STARTTLS', none: 'no TLS, because it is on this machine' } as const

/** Checks the connection, TLS and the login of the mail server of SMTP_URL, if there is one. Sends no mail. */
export async function* checkMail(config: Pick<Config, 'features'>): AsyncGenerator<Finding> {
  const server = mailServerSettingsOf(config)
  if (server === null) return
  const name = `The mail server ${server.host}:${server.port}`
  try {
    await checkMailServer(server)
    const login = server.auth === null ? 'SMTP_URL has no login' : 'it accepts the login'
    yield ok('mail-server', `${name} answers with ${TLS[server.tls]}; ${login}. No mail was sent.`)
  } catch (error) {
    if (!(error instanceof MailFault)) throw error
    const effect = 'Viewers can sign in, but get no mails.'
    if (error.message.startsWith('EAUTH')) {
      yield warning(
        'mail-login',
        `${name} refuses the login of SMTP_URL (${error.message}). ${effect} Correct the user name and password.`,
      )
    } else if (/certificate|ETLS|SSL/i.test(error.message)) {
      yield warning(
        'mail-tls',
        `${name} offers no TLS that can be trusted (${error.message}). ${effect} See SMTP_CA_FILE, and smtps or smtp in SMTP_URL.`,
      )
    } else {
      yield warning('mail-away', `${name} cannot be reached (${error.message}). ${effect} See SMTP_URL and firewalls.`)
    }
  }
}
