import { defineFeature } from '../../login/feature.ts'
import { accountChanges } from '../../services/account-changes/service.ts'
import { mailServer } from '../../services/mail/service.ts'
import { watchPage } from '../../services/watch-page/service.ts'
import { ACCOUNT_SETTINGS } from './links/settings.ts'

/**
 * The pages on which viewers reset and change their passwords and accept invitations, and the mails for them. At every
 * entry point: invitations work without a mail server, wherever the app may change passwords.
 */
export const account = defineFeature({
  name: 'account',
  shared: ACCOUNT_SETTINGS,
  needs: { accountChanges, mailServer, watchPage },
  async open(app, entryPoints, settings) {
    const { createAccount, openAccount } = await import('./open-account.ts')
    const account = await openAccount(app, settings, entryPoints.length)
    return account && createAccount(account, app, entryPoints[0]?.entryPoint.basePath)
  },
})
