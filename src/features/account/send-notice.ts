import type { Notice } from '../../services/account-changes/service.ts'
import { watchUrlOf } from '../../services/watch-page/service.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { Account } from './account.ts'
import { greetingNameOf, mailAddressOf, noticeMail } from './links/account-mails.ts'
import { ACCOUNT_PATHS } from './links/addresses.ts'

type NoticeDeps = Pick<Account, 'mailQueue' | 'mailAttribute' | 'nameAttribute'> & { readonly publicUrl: URL }

/** Puts a mail about a change of an account into the queue. Does nothing without a mail server, or without an address. */
export function sendNotice(
  { mailQueue, mailAttribute, nameAttribute, publicUrl }: NoticeDeps,
  viewer: Viewer,
  { mailOf, entryPoint, language, log, device }: Notice,
): void {
  const to = mailAddressOf(viewer, mailAttribute)
  const { username } = viewer
  const { brand, basePath } = entryPoint
  if (to === null || mailQueue === null) return
  const name = greetingNameOf(viewer, nameAttribute)
  const service = brand.name ?? publicUrl.hostname
  const request = { atMs: Date.now(), device }
  const context = { to, name, username, service, language, brand, watchUrl: watchUrlOf(entryPoint), request }
  const mail = noticeMail(context, mailOf, `${publicUrl.origin}${basePath}${ACCOUNT_PATHS.forgot}`)
  mailQueue.add({
    prepare: () => Promise.resolve(mail),
    onEnd(result, error) {
      const reason = error instanceof Error ? `${result}: ${error.message}` : result
      if (result === 'sent') log({ outcome: 'notice-mailed', viewer: username })
      else log({ outcome: 'notice-not-mailed', viewer: username, reason })
    },
  })
}
