import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Account } from '../../../src/features/account/account.ts'
import { account as feature } from '../../../src/features/account/feature.ts'
import { createResetLimits } from '../../../src/features/account/links/reset-limits.ts'
import { createAccount } from '../../../src/features/account/open-account.ts'
import { defineFeature } from '../../../src/login/feature.ts'
import { accountChanges } from '../../../src/services/account-changes/service.ts'
import { createMailQueue, type MailQueueDeps } from '../../../src/services/mail/mail-queue.ts'
import { openMailServer } from '../../../src/services/mail/smtp.ts'
import { openSqliteSessionStore } from '../../../src/sessions/sqlite-store.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../../src/sign-in-limits/sign-in-limits.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { startClock } from '../../login/start-clock.ts'
import { ADA, type LoginAppOptions, SESSION_LIMITS, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { mailSettings, startMailServer, type TestMailServer } from '../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

export const NEW_PASSWORD = 'PASSWORDMARKER another heron'

export type AccountApp = Awaited<ReturnType<typeof startAccountApp>>

export interface AccountAppOptions extends LoginAppOptions {
  readonly mail?: TestMailServer
  readonly changed?: Partial<Account>
  readonly queue?: Partial<MailQueueDeps>
  /** Replaces parts of the store of viewers. */
  readonly changeUsers?: (users: UserStore) => UserStore
}

/** Starts the login app with viewers in a file and a mail server, until the test ends. Ada can sign in. */
export async function startAccountApp({
  changed,
  queue,
  changeUsers = (users) => users,
  ...options
}: AccountAppOptions = {}) {
  const mail = options.mail ?? (await startMailServer())
  const store = openEditableSqliteStore(join(temporaryFolder(), 'viewers.db'))
  await store.add({ username: ADA.username, groups: [], attributes: {} }, ADA.password)
  /** The faults of mails that were not sent at once. */
  const faults: unknown[] = []
  const server = await openMailServer(mailSettings(mail.port))
  const mailQueue = createMailQueue({
    server,
    mailsPerHour: 100,
    onAway: (error) => faults.push(error),
    pauseMs: () => 0,
    retryMs: [50, 50],
    ...queue,
  })
  const clock = options.nowSeconds ? { seconds: START_SECONDS } : startClock(START_SECONDS)
  const sessionStore = openSqliteSessionStore(':memory:', SESSION_LIMITS, () => clock.seconds)
  const signInLimits = createSignInLimits(openMemoryCounter)
  const account: Account = {
    passwordChanges: store.passwordChanges,
    mailQueue,
    resetLimits: createResetLimits(openMemoryCounter, 100),
    signInLimits,
    sessionStore,
    mailAttribute: 'username',
    nameAttribute: null,
    contextWords: ['lovelace'],
    ...changed,
  }
  const withAccount = defineFeature({
    ...feature,
    needs: { accountChanges },
    open: (app) => Promise.resolve(createAccount(account, app)),
  })
  const deps = { users: changeUsers(store), sessionStore, signInLimits, nowSeconds: () => clock.seconds }
  const app = await startLoginApp({ features: [withAccount], featureSettings: { account: {} }, ...deps, ...options })
  onTestFinished(async () => {
    mailQueue.close()
    await store.close()
  })
  return { ...app, clock, store, mail, faults }
}
