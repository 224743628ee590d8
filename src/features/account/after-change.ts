import { setTimeout as sleep } from 'node:timers/promises'
import type { LogStep } from '../../login/log/step-log.ts'
import type { Notice } from '../../services/account-changes/service.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { AccountDeps } from './route-deps.ts'
import { sendNotice } from './send-notice.ts'

const RETRIES = 30
const RETRY_MS = 60_000

/** Ends all sessions of a viewer whose password has just changed, and sends a notice. Never fails the request. */
export async function afterPasswordChange(
  deps: AccountDeps,
  viewer: Viewer,
  notice: Omit<Notice, 'mailOf'> & { readonly hasNotice: boolean },
): Promise<void> {
  await endSessions(deps, viewer.username, notice.log)
  if (notice.hasNotice) sendNotice(deps, viewer, { ...notice, mailOf: changedMail })
}

/** The notice of a changed password. */
const changedMail: Notice['mailOf'] = ({ account: { mail } }) => ({
  subject: mail.changedSubject,
  paragraphs: [mail.changed, mail.changedNotYou],
})

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
