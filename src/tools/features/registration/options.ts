import type { RegistrationState } from '../../../features/registration/book/registration.ts'

/** The options of all commands. */
export interface RegistrationOptions {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly domain?: string
  readonly state?: RegistrationState
}

/** What a command does with a registration. */
export type Step = 'approve' | 'refuse' | 'cancel' | 'forget'

/** The most mails in a minute, unless an option says otherwise. */
export const MAILS_PER_MINUTE = 60
