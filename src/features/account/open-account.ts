import type { Logger } from 'pino'
import { UpstreamError } from '../../errors.ts'
import type { OpenFeature } from '../../login/feature.ts'
import { createStepLog } from '../../login/log/step-log.ts'
import { unframedHeaders } from '../../login/screens/headers.ts'
import type { AppParts } from '../../login/service.ts'
import type { AccountChanges } from '../../services/account-changes/service.ts'
import { logOutages } from '../../services/mail/log-outages.ts'
import { createMailQueue } from '../../services/mail/mail-queue.ts'
import type { MailServerSettings } from '../../services/mail/settings.ts'
import { openMailServer } from '../../services/mail/smtp.ts'
import { watchUrlOf } from '../../services/watch-page/service.ts'
import { createAgain } from '../../sign-in-limits/again.ts'
import type { ChangesPasswords } from '../../users/account/password-changes.ts'
import { FEWEST_CHARACTERS } from '../../users/passwords/new-password.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { Account } from './account.ts'
import { createAccountSteps } from './account-steps.ts'
import { passwordAddresses } from './links/addresses.ts'
import { createResetLimits } from './links/reset-limits.ts'
import type { AccountSettings } from './links/settings.ts'
import { createAccountPages, openAccountTemplates } from './pages.ts'
import { accountRoutes, wellKnownRoute } from './routes.ts'
import { sendNotice } from './send-notice.ts'

export type AccountParts = AppParts & { readonly accountChanges: AccountChanges }

/**
 * Creates the pages on which viewers set their passwords.
 * @param mainPath the base path of the entry point to which `/.well-known/change-password` leads.
 */
export function createAccount(account: Account, app: AccountParts, mainPath = ''): OpenFeature<object> {
  const { publicUrl, accountChanges } = app
  const parts = accountChanges.newPasswordParts
  accountChanges.sendNoticesBy((viewer, notice) => sendNotice({ ...account, publicUrl }, viewer, notice))
  const hasOwnPages = account.mailQueue !== null
  const steps = createAccountSteps()
  const again = createAgain(app.openCounter, app.sessionSettings.secrets)
  const templates = openAccountTemplates()
  const headers = unframedHeaders(publicUrl)
  const scriptHeaders = unframedHeaders(publicUrl, true)
  return {
    at: ({ name, brand, basePath, hasScript }) => ({
      brand(own) {
        const { forgot } = passwordAddresses(basePath, hasOwnPages, own.forgotPasswordUrl)
        return { ...own, forgotPasswordUrl: forgot }
      },
      routes(deps) {
        const hasStartPage = deps.answer.readAddress(undefined).ok
        const page = {
          templates,
          brand: deps.entryPoint.brand,
          basePath,
          headers,
          scriptHeaders,
          hasScript,
          hasStartPage,
          watchUrl: watchUrlOf(deps.entryPoint),
        }
        const pages = createAccountPages({ ...page, canReset: hasOwnPages, fewestCharacters: FEWEST_CHARACTERS })
        const { outcomes, count } = steps
        const log = { ...app, event: 'account', outcomes, count, entryPoint: name, addressOf: deps.addressOf }
        const service = brand.name ?? publicUrl.hostname
        const logAccount = createStepLog(log)
        return accountRoutes({ ...deps, ...account, publicUrl, basePath, service, pages, logAccount, again, parts })
      },
    }),
    ...(hasOwnPages && { sharedRoutes: () => wellKnownRoute(headers, mainPath) }),
    registerMetrics: steps.register,
    close: () => account.mailQueue?.close(),
  }
}

/**
 * Opens what viewers need to set their passwords. Null if the viewers are in a store that this app only reads.
 * @throws ConfigError if SMTP_URL is set and the app may not change the store.
 */
export async function openAccount(
  app: AppParts & { readonly mailServer: MailServerSettings | null },
  settings: AccountSettings,
  entryPoints: number,
): Promise<Account | null> {
  const { users, openCounter, log, signInLimits, sessionStore, contextWords, addressLimit, mailServer } = app
  const { passwordChanges }: UserStore & Partial<ChangesPasswords> = users
  if (passwordChanges === undefined) {
    if (mailServer !== null) {
      log.warn('SMTP_URL has no effect: the viewers set their passwords in another system. Set FORGOT_PASSWORD_URL')
    }
    return null
  }
  const mailQueue = mailServer === null ? null : await openQueue(mailServer, settings.resetsPerHour, log)
  if (mailQueue !== null) {
    await passwordChanges.assertAllowed().catch((error: unknown) => {
      // Unavailable for now: the app starts, as for sign-ins.
      if (!(error instanceof UpstreamError)) throw error
    })
  }
  return {
    passwordChanges,
    mailQueue,
    resetLimits: createResetLimits(openCounter, settings.resetsPerHour, addressLimit.trustedNetworks, entryPoints),
    signInLimits,
    sessionStore,
    mailAttribute: settings.addressAttribute,
    nameAttribute: settings.nameAttribute,
    contextWords,
  }
}

async function openQueue(settings: MailServerSettings, mailsPerHour: number, log: Pick<Logger, 'info' | 'warn'>) {
  return createMailQueue({ server: await openMailServer(settings), mailsPerHour, ...logOutages(log) })
}
