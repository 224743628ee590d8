import { z } from 'zod'
import type { FeatureSettings, ReadContext } from '../../entry-points/feature-settings.ts'
import { type MailPattern, parseMailPattern } from '../../services/guests/mail-address.ts'
import { listField } from '../../settings/fields.ts'
import type { SettingValues } from '../../settings/setting.ts'
import { faultInAttributeName } from '../../users/viewer-fields.ts'

/** The user name is the mail address. */
export const USERNAME = 'username'

export type MailSignInMode = 'list' | 'domains' | 'store' | 'anyone'

/** The guests or viewers who sign in with a code at an entry point. */
export interface MailSignInSettings {
  readonly mode: MailSignInMode
  /** The guests of the settings. With `list`, the file has further guests. */
  readonly guests: readonly MailPattern[]
  /** A CSV file of guests. Null for none. */
  readonly file: string | null
  /** With `store`, the attribute of a viewer with the verified mail address, or `username`. */
  readonly attribute?: string
  /** True if guests can also register at this entry point. */
  readonly hasRegistration?: boolean
}

/** Settings that name guests, here or in a feature with guests of its own. */
const LISTS = ['mailGuests', 'mailGuestsFile', 'registration']

/** @throws RangeError with the end of a sentence. */
function parsePattern(text: string): MailPattern {
  const pattern = parseMailPattern(text)
  if (pattern === null) throw new RangeError('must be an address, or *@ and a domain, such as *@example.com')
  return pattern
}

function settings() {
  return {
    mailSignIn: z
      .enum(['off', 'list', 'domains', 'store', 'anyone'], 'must be off, list, domains, store or anyone')
      .default('off'),
    mailGuests: listField('must name at least one address or domain', parsePattern).optional().meta({ inFile: 'list' }),
    mailGuestsFile: z.string().min(1).optional(),
    mailSignInAttribute: z
      .string()
      .refine((name) => name === USERNAME || faultInAttributeName(name) === null, 'must be username, or an attribute')
      .default(USERNAME),
  }
}

type Given = SettingValues<ReturnType<typeof settings>>

function read(given: Given, { has, refuse, nameOf }: ReadContext): MailSignInSettings | null {
  const { mailSignIn: mode, mailGuests: guests = [], mailGuestsFile: file = null } = given
  const { mailSignInAttribute: attribute = USERNAME } = given
  const isList = mode === 'list' || mode === 'domains'
  if (!isList && has('mailGuests')) refuse('mailGuests', `needs ${nameOf('mailSignIn')} list or domains`)
  if (mode !== 'list' && has('mailGuestsFile')) refuse('mailGuestsFile', `needs ${nameOf('mailSignIn')} list`)
  if (mode !== 'store' && attribute !== USERNAME) refuse('mailSignInAttribute', `needs ${nameOf('mailSignIn')} store`)
  if (mode === 'list' && !LISTS.some(has)) {
    refuse('mailGuests', `is required with list, or ${nameOf('mailGuestsFile')}: the addresses of the guests`)
  }
  if (mode === 'domains' && !has('mailGuests')) refuse('mailGuests', 'is required with domains, such as *@example.com')
  if (mode === 'domains' && guests.some((one) => 'address' in one)) {
    refuse('mailGuests', 'must name domains only, such as *@example.com; with addresses, set list')
  }
  // Undefined for a wrong value, which was reported before.
  return mode === undefined || mode === 'off'
    ? null
    : { mode, guests, file, attribute, hasRegistration: has('registration') }
}

/** The settings of the sign-in with a code by mail. It is off by default. */
export const mailSignInFields = {
  name: 'mail-sign-in',
  settings,
  read,
  isWayIn: () => true,
  warningsOf({ mode, hasRegistration }, entryPoint) {
    if (mode !== 'anyone') return []
    const warning = `Entry point ${entryPoint}: everyone with a mailbox may sign in (MAIL_SIGN_IN=anyone).`
    return [hasRegistration ? `${warning} The registration has no effect: set MAIL_SIGN_IN to list.` : warning]
  },
} satisfies FeatureSettings<ReturnType<typeof settings>, MailSignInSettings>
