import type { Viewer } from '../../users/user-store.ts'
import type { LogStep } from './account-log.ts'
import { type MailContext, mailAddressOf } from './links/account-mails.ts'
import { ACCOUNT_PATHS } from './links/addresses.ts'
import type { Mail } from './mail/smtp.ts'
import type { AccountDeps } from './route-deps.ts'

export type NoticeDeps = Pick<AccountDeps, 'mailQueue' | 'mailAttribute' | 'service' | 'publicUrl' | 'basePath'>

/**
 * Puts a mail about a change of an account into the queue. Does nothing without a mail server, or without an address.
 * @param mailOf builds the mail. Gets the address at which a viewer resets the password.
 */
export function sendNotice(
  { mailQueue, mailAttribute, service, publicUrl, basePath }: NoticeDeps,
  viewer: Viewer,
  mailOf: (context: MailContext, forgotAddress: string) => Mail,
  { language, log }: { readonly language: string; readonly log: LogStep },
): void {
  const to = mailAddressOf(viewer, mailAttribute)
  const { username } = viewer
  if (to === null || mailQueue === null) return
  const mail = mailOf({ to, username, service, language }, `${publicUrl.origin}${basePath}${ACCOUNT_PATHS.forgot}`)
  mailQueue.add({
    prepare: () => Promise.resolve(mail),
    onEnd(result, error) {
      const reason = error instanceof Error ? `${result}: ${error.message}` : result
      if (result === 'sent') log({ outcome: 'notice-mailed', viewer: username })
      else log({ outcome: 'notice-not-mailed', viewer: username, reason })
    },
  })
}
