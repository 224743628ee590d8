import { z } from 'zod'
import type { SharedSettings } from '../../entry-points/feature-settings.ts'
import { wholeNumber } from '../../settings/fields.ts'

export interface MailCodeSettings {
  /** The most mails with codes in an hour, all together. */
  readonly mailsPerHour: number
}

const MailCodeEnvironment = z
  .object({ MAIL_CODES_PER_HOUR: wholeNumber(1, 1_000_000).default(10_000) })
  .transform(({ MAIL_CODES_PER_HOUR: mailsPerHour }): MailCodeSettings => ({ mailsPerHour }))

/** The settings of codes by mail, which all entry points share. */
export const MAIL_CODE_SETTINGS: SharedSettings<MailCodeSettings> = {
  settings: MailCodeEnvironment.in.shape,
  schema: MailCodeEnvironment,
}
