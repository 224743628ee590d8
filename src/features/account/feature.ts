import type { Feature } from '../../login/feature.ts'
import { MAIL_SETTINGS, type MailSettings } from '../mail/settings.ts'

/**
 * The pages on which viewers reset and change their passwords and accept invitations, and the mails for them. At every
 * entry point: invitations work without a mail server, wherever the app may change passwords.
 */
export const account: Feature<Record<string, never>, object, MailSettings> = {
  name: 'account',
  shared: MAIL_SETTINGS,
  async open(services, _entryPoints, mail) {
    const { createAccount, openAccount } = await import('./open-account.ts')
    const opened = await openAccount(services, mail)
    return opened && createAccount(opened, services)
  },
}
