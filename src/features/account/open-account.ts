import type { Logger } from 'pino'
import { UpstreamError } from '../../errors.ts'
import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'
import type { AddressLimit } from '../../sign-in-limits/settings.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { Account } from './account.ts'
import { createResetLimits } from './links/reset-limits.ts'
import { logOutages } from './mail/log-outages.ts'
import { createMailQueue } from './mail/mail-queue.ts'
import type { MailSettings } from './mail/settings.ts'
import { openMailServer } from './mail/smtp.ts'

export interface AccountSettings extends Pick<Account, 'contextWords'> {
  readonly addressLimit: Pick<AddressLimit, 'trustedNetworks'>
  readonly mail: MailSettings
}

export interface OpenAccountDeps extends Pick<Account, 'signInLimits' | 'sessionStore'> {
  readonly users: Pick<UserStore, 'passwordChanges'>
  readonly openCounter: OpenCounter
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/**
 * Opens what viewers need to set their passwords. Null if the viewers are in a store that this app only reads.
 * @throws ConfigError if SMTP_URL is set and the app may not change the store.
 */
export async function openAccount(
  { mail, contextWords, addressLimit }: AccountSettings,
  { users, openCounter, log, signInLimits, sessionStore }: OpenAccountDeps,
): Promise<Account | null> {
  const { passwordChanges } = users
  if (passwordChanges === undefined) {
    if (mail.server !== null) {
      log.warn('SMTP_URL has no effect: the viewers set their passwords in another system. Set FORGOT_PASSWORD_URL')
    }
    return null
  }
  const mailQueue = mail.server === null ? null : await openQueue(mail.server, log)
  if (mailQueue !== null) {
    await passwordChanges.assertAllowed().catch((error: unknown) => {
      // Unavailable for now: the app starts, as for sign-ins.
      if (!(error instanceof UpstreamError)) throw error
    })
  }
  return {
    passwordChanges,
    mailQueue,
    resetLimits: createResetLimits(openCounter, mail.resetsPerHour, addressLimit.trustedNetworks),
    signInLimits,
    sessionStore,
    mailAttribute: mail.addressAttribute,
    contextWords,
  }
}

async function openQueue(settings: NonNullable<MailSettings['server']>, log: Pick<Logger, 'info' | 'warn'>) {
  return createMailQueue({ server: await openMailServer(settings), ...logOutages(log) })
}
