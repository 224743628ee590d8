import type { MailQueue } from '../../services/mail/mail-queue.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { SignInLimits } from '../../sign-in-limits/sign-in-limits.ts'
import type { PasswordChanges } from '../../users/account/password-changes.ts'
import type { ResetLimits } from './links/reset-limits.ts'

/** The dependencies that the account pages of all entry points share. */
export interface Account {
  readonly passwordChanges: PasswordChanges
  /** Null without SMTP_URL: viewers then use only invitations that the operator passed on. */
  readonly mailQueue: MailQueue | null
  readonly resetLimits: ResetLimits
  readonly signInLimits: Pick<SignInLimits, 'admit' | 'forgive'>
  readonly sessionStore: Pick<SessionStore, 'endSessionsOf'>
  /** The attribute with the mail address of a viewer, or `username`. */
  readonly mailAttribute: string
  /** The attribute with the name for the greeting of a mail. Null for the user name. */
  readonly nameAttribute: string | null
  /** Words that a new password may not consist of. */
  readonly contextWords: readonly string[]
}
