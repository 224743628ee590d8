import { ConfigError } from '../../errors.ts'
import type { Feature, Services } from '../../login/feature.ts'
import { createMailCodeCounts } from './mail-code-counts.ts'
import type { OpenMailCodes } from './mail-codes.ts'
import { MAIL_CODE_SETTINGS, type MailCodeSettings } from './settings.ts'

declare module '../../login/feature.ts' {
  interface OpenFeature<T = unknown> {
    /** Opens the codes by mail, once for all features. */
    readonly mailCodes?: () => Promise<OpenMailCodes>
  }
}

/** Codes by mail, for other features. It opens before them. */
export const mailCode: Feature<Record<string, never>, object, MailCodeSettings> = {
  name: 'mail-code',
  shared: MAIL_CODE_SETTINGS,
  open(services, _entryPoints, settings) {
    const counts = createMailCodeCounts()
    let opened: Promise<OpenMailCodes> | undefined
    async function openCodes(): Promise<OpenMailCodes> {
      const { openMailCodes: open } = await import('./open-mail-codes.ts')
      return await open(services, settings, counts)
    }
    return Promise.resolve({
      at: () => ({}),
      mailCodes: () => (opened ??= openCodes()),
      registerMetrics: counts.register,
      close: () => void opened?.then((codes) => codes.close()),
    })
  },
}

/**
 * Opens the codes by mail, for a feature that needs them.
 * @throws ConfigError without SMTP_URL, or if the guests store cannot be used.
 */
export async function openMailCodes({ opened }: Pick<Services, 'opened'>): Promise<OpenMailCodes> {
  const open = opened.find((one) => one.open.mailCodes)?.open.mailCodes
  if (open === undefined) throw new ConfigError('The feature mail-code must come before the features that use it.')
  return await open()
}
