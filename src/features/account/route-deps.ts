import type { Request, Response } from 'express'
import type { CheckCredentialsDeps } from '../../login/check-credentials.ts'
import type { LogSteps } from '../../login/log/step-log.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { isFromOwnPage } from '../../server/same-origin.ts'
import type { NewPasswordPart } from '../../services/account-changes/service.ts'
import type { Again } from '../../sign-in-limits/again.ts'
import type { Account } from './account.ts'
import type { AccountPages } from './pages.ts'

/** The dependencies of the pages of one entry point. Each route picks the part that it uses. */
export interface AccountDeps
  extends Account,
    Pick<CheckCredentialsDeps, 'users' | 'logSignIn' | 'addressOf'>,
    Pick<EntryPointDeps, 'entryPoint'> {
  readonly pages: AccountPages
  readonly logAccount: LogSteps
  readonly publicUrl: URL
  readonly basePath: string
  /** The name of this app in the mails. */
  readonly service: string
  readonly nowSeconds: () => number
  readonly again: Again
  /** The parts that other features add to the form of a link. */
  readonly parts: readonly NewPasswordPart[]
}

export const NOT_FROM_OWN_PAGE: Refusal = { status: 403, text: 'account.notFromOwnPage' }

/**
 * True for a post that does not come from our own page. Logs such a post.
 * @param hasToken true for the form with a token: its page has the policy `no-referrer`, so old browsers send
 *   `Origin: null`. Other sites cannot know the token.
 */
export function isForeign(
  req: Request,
  { publicUrl, logAccount }: Pick<AccountDeps, 'publicUrl' | 'logAccount'>,
  hasToken = false,
): boolean {
  const { origin, ...rest } = req.headers
  const headers = hasToken && origin === 'null' ? rest : req.headers
  if (isFromOwnPage(headers, publicUrl.origin)) return false
  logAccount(req)({ outcome: 'not-from-own-page', status: 403 })
  return true
}

/** Answers 415 if the body of a post is not a form. Returns true if it answered. */
export function isNotAForm(
  req: Request,
  res: Response,
  { pages, logAccount }: Pick<AccountDeps, 'pages' | 'logAccount'>,
): boolean {
  if (typeof req.body === 'object' && req.body !== null) return false
  logAccount(req)({ outcome: 'refused-request', status: 415, reason: 'the body is not a form' })
  pages.send(req, res, { view: 'message', message: 'refused' }, { status: 415, text: 'wrongType' })
  return true
}
