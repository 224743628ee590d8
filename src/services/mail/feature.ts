import type { Feature, Services } from '../../login/feature.ts'
import { MAIL_SETTINGS, type MailServerSettings, type MailSettings } from './settings.ts'

declare module '../../login/feature.ts' {
  interface OpenFeature<T = unknown> {
    /** The mail server, for the features that send mails. Null without SMTP_URL. */
    readonly mailServer?: MailServerSettings | null
  }
}

/** Gives other features the mail server. It adds nothing to the app by itself, and opens before them. */
export const mail: Feature<Record<string, never>, object, MailSettings> = {
  name: 'mail',
  shared: MAIL_SETTINGS,
  open: (_services, _entryPoints, { server }) => Promise.resolve({ at: () => ({}), mailServer: server }),
}

/** Returns the mail server of the app; null without SMTP_URL. */
export function mailServerOf({ opened }: Pick<Services, 'opened'>): MailServerSettings | null {
  return opened.find(({ open }) => open.mailServer)?.open.mailServer ?? null
}
