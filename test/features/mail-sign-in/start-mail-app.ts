import { join } from 'node:path'
import { expect } from 'vitest'
import type { MailSignInSettings } from '../../../src/features/mail-sign-in/fields.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type LoginAppOptions, startLoginApp } from '../../login/start-login-app.ts'
import {
  mailSettings,
  type ReceivedMail,
  startMailServer,
  type TestMailServer,
} from '../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

export const GUEST = 'guest@example.com'
export const LISTED: MailSignInSettings = { mode: 'list', guests: [{ address: GUEST }], file: null }

export interface MailAppOptions extends LoginAppOptions {
  readonly mail?: TestMailServer
  readonly settings?: MailSignInSettings
  readonly hasPasswordForm?: boolean
  readonly guestsFile?: string
  readonly mailsPerHour?: number
}

/** Starts the login app with sign-in by mail and a mail server, until the test ends. */
export async function startMailApp(options: MailAppOptions = {}) {
  const { settings = LISTED, hasPasswordForm = false, mailsPerHour = 10_000 } = options
  const mail = options.mail ?? (await startMailServer())
  const file = options.guestsFile ?? join(temporaryFolder(), 'guests.db')
  const features = { 'mail-sign-in': settings }
  const app = await startLoginApp({
    entryPoints: [{ ...ENTRY_POINT, hasPasswordForm, features }],
    featureSettings: {
      mail: { server: mailSettings(mail.port) },
      guests: { store: { kind: 'sqlite', file } },
      'mail-code': { mailsPerHour },
    },
    ...options,
  })
  return {
    ...app,
    mail,
    guestsFile: file,
    ask: (address: string, frame = '', headers = {}) => app.post('/mail-code', { mail: address, frame }, headers),
    check: (address: string, frame: string, code: string, headers = {}) =>
      app.post('/mail-code/check', { mail: address, frame, code }, headers),
  }
}

/** Returns the secret in the form for the code. */
export function frameIn({ text }: { readonly text: string }): string {
  return /name="frame" value="([\w-]{43})"/.exec(text)?.[1] ?? expect.unreachable(`no secret in ${text}`)
}

/** Returns the code in a mail, as it is shown. */
export function codeIn({ text }: ReceivedMail): string {
  return /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/m.exec(text)?.[0] ?? expect.unreachable(`no code in ${text}`)
}
