import type { Feature } from '../../login/feature.ts'
import { type MailSignInSettings, mailSignInFields } from './fields.ts'

/** Sign-in with a code by mail, in the frame of the player. */
export const mailSignIn: Feature<ReturnType<typeof mailSignInFields.settings>, MailSignInSettings> = {
  ...mailSignInFields,
  outcomes: {
    'mail-code-asked': { level: 'info', counted: 'always' },
    'mail-code-wrong': { level: 'warn', counted: 'always' },
    'mail-code-over': { level: 'warn', counted: 'always' },
    'mail-guest-removed': { level: 'warn', counted: 'onReturn' },
  },
  async open(services, entryPoints) {
    const { openMailSignIn } = await import('./open-mail-sign-in.ts')
    return await openMailSignIn(services, entryPoints)
  },
}
