import type { Service } from '../../login/service.ts'
import { MAIL_SETTINGS, type MailServerSettings, type MailSettings } from './settings.ts'

/** The mail server of the app; null without SMTP_URL. */
export const mailServer: Service<MailServerSettings | null, MailSettings | undefined> = {
  name: 'mail',
  shared: MAIL_SETTINGS,
  open: (_app, settings) => Promise.resolve({ handed: settings?.server ?? null }),
}
