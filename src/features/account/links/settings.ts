import { z } from 'zod'
import type { SharedSettings } from '../../../entry-points/feature-settings.ts'
import { wholeNumber } from '../../../settings/fields.ts'

export interface AccountSettings {
  /** The attribute with the mail address of a viewer, or `username`. */
  readonly addressAttribute: string
  /** The attribute with the name for the greeting. Null for the user name. */
  readonly nameAttribute: string | null
  /** The most mails in an hour that viewers may ask for, all together. */
  readonly resetsPerHour: number
}

const Attribute = z
  .string()
  .regex(/^[^=,\p{Cc}]{1,64}$/u, 'must be the name of an attribute of your viewers, or username')

const AccountEnvironment = z
  .object({
    RESET_MAIL_ATTRIBUTE: Attribute.default('username'),
    MAIL_NAME_ATTRIBUTE: Attribute.optional(),
    RESET_MAILS_PER_HOUR: wholeNumber(1, 100_000).default(400),
  })
  .transform((settings): AccountSettings => {
    return {
      addressAttribute: settings.RESET_MAIL_ATTRIBUTE,
      nameAttribute: settings.MAIL_NAME_ATTRIBUTE ?? null,
      resetsPerHour: settings.RESET_MAILS_PER_HOUR,
    }
  })

/** The settings of mails about passwords, which all entry points share. */
export const ACCOUNT_SETTINGS: SharedSettings<AccountSettings> = {
  settings: AccountEnvironment.in.shape,
  schema: AccountEnvironment,
}
