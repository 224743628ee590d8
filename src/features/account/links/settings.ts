import { z } from 'zod'
import type { SharedSettings } from '../../../entry-points/feature-settings.ts'
import { wholeNumber } from '../../../settings/fields.ts'

const Attribute = z
  .string()
  .regex(/^[^=,\p{Cc}]{1,64}$/u, 'must be the name of an attribute of your viewers, or username')

const AccountEnvironment = z
  .object({
    RESET_MAIL_ATTRIBUTE: Attribute.default('username'),
    MAIL_NAME_ATTRIBUTE: Attribute.optional(),
    RESET_MAILS_PER_HOUR: wholeNumber(1, 100_000).default(400),
  })
  .transform((settings) => ({
    /** The attribute with the mail address of a viewer, or `username`. */
    addressAttribute: settings.RESET_MAIL_ATTRIBUTE,
    /** The attribute with the name for the greeting. Null for the user name. */
    nameAttribute: settings.MAIL_NAME_ATTRIBUTE ?? null,
    /** The most mails in an hour that viewers may ask for, all together. */
    resetsPerHour: settings.RESET_MAILS_PER_HOUR,
  }))
export type AccountSettings = Readonly<z.output<typeof AccountEnvironment>>

/** The settings of mails about passwords, which all entry points share. */
export const ACCOUNT_SETTINGS: SharedSettings<AccountSettings> = {
  settings: AccountEnvironment.in.shape,
  schema: AccountEnvironment,
}
