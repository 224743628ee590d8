import type { Feature } from '../../login/feature.ts'
import { mailServerOf } from '../../services/mail/feature.ts'
import { ACCOUNT_SETTINGS, type AccountSettings } from './links/settings.ts'

/**
 * The pages on which viewers reset and change their passwords and accept invitations, and the mails for them. At every
 * entry point: invitations work without a mail server, wherever the app may change passwords.
 */
export const account: Feature<Record<string, never>, object, AccountSettings> = {
  name: 'account',
  shared: ACCOUNT_SETTINGS,
  async open(services, _entryPoints, settings) {
    const { createAccount, openAccount } = await import('./open-account.ts')
    const opened = await openAccount(services, mailServerOf(services), settings)
    return opened && createAccount(opened, services)
  },
}
