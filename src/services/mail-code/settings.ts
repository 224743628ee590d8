import { z } from 'zod'
import type { SharedSettings } from '../../entry-points/feature-settings.ts'
import type { CapacityConfig } from '../../login/feature.ts'
import { wholeNumber } from '../../settings/fields.ts'
import { capacityOfBegun, mostBegun, type WayInCapacity } from '../../sign-in-limits/capacity.ts'
import { mostOfNetwork, partsOf } from '../mail/mail-shares.ts'

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

/** Returns how many codes one address can ask for and get, also if its guests are on no list. */
export function capacityOfCodes(wayIn: string, { addressLimit, features, entryPoints }: CapacityConfig): WayInCapacity {
  const { mailsPerHour } = features['mail-code'] as MailCodeSettings
  const { own, common } = partsOf(mailsPerHour, entryPoints.length)
  const viewers = Math.min(mostOfNetwork(mailsPerHour), own + common)
  const ofBegun = capacityOfBegun(wayIn, addressLimit)
  return viewers < mostBegun(addressLimit) ? { wayIn, viewers, setting: 'MAIL_CODES_PER_HOUR' } : ofBegun
}
