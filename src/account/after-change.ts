import { setTimeout as sleep } from 'node:timers/promises'
import type { Viewer } from '../users/user-store.ts'
import type { LogStep } from './account-log.ts'
import { changedMail, mailAddressOf } from './links/account-mails.ts'
import { ACCOUNT_PATHS } from './links/addresses.ts'
import type { AccountDeps } from './route-deps.ts'

const RETRIES = 30
const RETRY_MS = 60_000

/** Ends all sessions of a viewer whose password has just changed, and sends a notice. Never fails the request. */
export async function afterPasswordChange(
  deps: AccountDeps,
  viewer: Viewer,
  { language, log, hasNotice }: { readonly language: string; readonly log: LogStep; readonly hasNotice: boolean },
): Promise<void> {
  await endSessions(deps, viewer.username, log)
  if (hasNotice) sendNotice(deps, viewer, language, log)
}

/** The password is changed already. If the session store is away, the app tries again every minute for half an hour. */
async function endSessions(
  { sessionStore }: Pick<AccountDeps, 'sessionStore'>,
  username: string,
  log: LogStep,
): Promise<void> {
  try {
    await sessionStore.endSessionsOf(username)
  } catch (error) {
    const reason = 'the session store failed; the app tries again for half an hour'
    log({ outcome: 'sessions-not-ended', viewer: username, reason, error })
    void repeat(() => sessionStore.endSessionsOf(username))
  }
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < RETRIES; attempt += 1) {
    await sleep(RETRY_MS, undefined, { ref: false })
    const isDone = await work().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
}

function sendNotice(deps: AccountDeps, viewer: Viewer, language: string, log: LogStep): void {
  const { mailQueue, mailAttribute, service, publicUrl, basePath } = deps
  const to = mailAddressOf(viewer, mailAttribute)
  const { username } = viewer
  if (to === null || mailQueue === null) return
  const mail = changedMail({ to, username, service, language }, `${publicUrl.origin}${basePath}${ACCOUNT_PATHS.forgot}`)
  mailQueue.add({
    prepare: () => Promise.resolve(mail),
    onEnd(result, error) {
      const reason = error instanceof Error ? `${result}: ${error.message}` : result
      if (result === 'sent') log({ outcome: 'notice-mailed', viewer: username })
      else log({ outcome: 'notice-not-mailed', viewer: username, reason })
    },
  })
}
