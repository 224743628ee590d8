import type { Service } from '../../login/service.ts'
import { watchPage } from '../watch-page/service.ts'
import { MAIL_SETTINGS, type MailServerSettings, type MailSettings } from './settings.ts'

const needs = { watchPage }

/** The mail server of the app; null without SMTP_URL. */
export const mailServer: Service<MailServerSettings | null, MailSettings | undefined, typeof needs> = {
  name: 'mail',
  shared: MAIL_SETTINGS,
  needs,
  open: (_app, settings) => Promise.resolve({ handed: settings?.server ?? null }),
}
