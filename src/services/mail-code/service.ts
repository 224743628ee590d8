import type { Service } from '../../login/service.ts'
import { event } from '../event/service.ts'
import { guests } from '../guests/service.ts'
import { mailServer } from '../mail/service.ts'
import type { OpenMailCodes } from './mail-codes.ts'
import { MAIL_CODE_SETTINGS, type MailCodeSettings } from './settings.ts'

const needs = { event, guests, mailServer }

/** Codes by mail. */
export const mailCodes: Service<OpenMailCodes, MailCodeSettings, typeof needs> = {
  name: 'mail-code',
  shared: MAIL_CODE_SETTINGS,
  needs,
  async open(app, settings) {
    const { openMailCodes } = await import('./open-mail-codes.ts')
    return await openMailCodes(app, settings)
  },
}
