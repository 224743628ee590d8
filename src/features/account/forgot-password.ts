import type { RequestHandler } from 'express'
import { tooManyTries } from '../../login/check-credentials.ts'
import { deviceOf } from '../../login/log/device.ts'
import type { LogStep } from '../../login/log/step-log.ts'
import type { MailRequest } from '../../services/mail/layout.ts'
import type { MailJob } from '../../services/mail/mail-queue.ts'
import type { GiveBack } from '../../services/mail/mail-shares.ts'
import type { Mail } from '../../services/mail/smtp.ts'
import { watchUrlOf } from '../../services/watch-page/service.ts'
import type { Viewer } from '../../users/user-store.ts'
import { usernameKey } from '../../users/viewer-fields.ts'
import { readUsername } from './form-fields.ts'
import { greetingNameOf, mailAddressOf, resetMail } from './links/account-mails.ts'
import { createReset, RESET_MINUTES } from './links/reset.ts'
import { type AccountDeps, isForeign, isNotAForm, NOT_FROM_OWN_PAGE } from './route-deps.ts'

/**
 * Answers every name in the same way, in the same time: the user store is asked after the answer (OWASP ASVS 6.3.8).
 */
export function postForgotPassword(deps: AccountDeps): RequestHandler {
  const { again, pages, resetLimits, addressOf, logAccount, mailQueue } = deps

  return async (req, res) => {
    if (isNotAForm(req, res, deps)) return
    const username = readUsername(req.body)
    const page = { view: 'forgot', username: username ?? '' } as const
    if (isForeign(req, deps)) return pages.send(req, res, page, NOT_FROM_OWN_PAGE)
    if (username === null) {
      return pages.send(req, res, page, { status: 400, text: 'account.emptyUsername' })
    }
    const log = logAccount(req)
    const refused = await resetLimits.admit(username, addressOf(req))
    if (refused !== null) {
      log({ outcome: 'reset-limited', viewer: username, status: 429, limit: refused.limit })
      return pages.send(req, res, page, tooManyTries(refused.retryAfterSeconds))
    }
    // A second mail of a double click would end the link of the first.
    await again(['forgot', username, addressOf(req)], () => {
      log({ outcome: 'reset-requested', viewer: username })
      const request = { atMs: deps.nowSeconds() * 1000, device: deviceOf(req) }
      mailQueue?.add(resetJob(deps, { username, language: pages.languageOf(req), log, request }))
      return Promise.resolve(true)
    })
    pages.send(req, res, { view: 'message', message: 'linkSent', username })
  }
}

interface ResetRequest {
  /** As typed: a user name or a mail address. */
  readonly username: string
  readonly language: string
  readonly log: LogStep
  readonly request: MailRequest
  /** True for the name of a viewer whose mail address was typed. */
  readonly isFound?: boolean
}

/** Returns the work after the answer: finds the viewer, stores a link and builds the mail. */
function resetJob(deps: AccountDeps, asked: ResetRequest): MailJob {
  const { username, log, isFound = false } = asked
  const { mailQueue, resetLimits, entryPoint } = deps
  let reason: string | undefined
  let isAdmitted: boolean | undefined
  let taken: GiveBack | null = null

  function refuse(why: string): null {
    reason = why
    return null
  }
  async function createCountedMail() {
    // Only viewers get these mails, so all may use the reserve.
    taken ??= await resetLimits.shares.take(entryPoint.name, true)
    if (taken === null) return refuse('RESET_MAILS_PER_HOUR is reached')
    let mail: Mail | null = null
    try {
      mail = await createMail(deps, asked, refuse)
      return mail
    } finally {
      if (mail === null) await giveBack()
    }
  }
  /** Only mails that are sent count in total: else made-up names would stop the mails of all viewers. */
  function giveBack(): Promise<void> | undefined {
    const given: GiveBack | null = taken
    taken = null
    return given?.()
  }
  async function prepare() {
    // Counted once, also if a fault of the store repeats this.
    isAdmitted ??= await resetLimits.admitMail(username)
    const mail = isAdmitted ? await createCountedMail() : refuse('the viewer had too many mails in this hour')
    const others = isFound ? [] : await viewersWithAddress(deps, username)
    for (const other of others) {
      mailQueue?.add(resetJob(deps, { ...asked, username: other.username, isFound: true }))
    }
    return mail
  }
  return {
    prepare,
    onEnd(result, error) {
      if (result === 'sent') return log({ outcome: 'reset-mailed', viewer: username })
      void giveBack()
      const why = reason ?? (error instanceof Error ? `${result}: ${error.message}` : result)
      log({ outcome: 'reset-not-mailed', viewer: username, reason: why })
    },
  }
}

/** Stores a link and builds its mail. @param refuse called with the reason for no mail. */
async function createMail(
  { passwordChanges, mailAttribute, nameAttribute, service, publicUrl, basePath, nowSeconds, entryPoint }: AccountDeps,
  { username, language, request }: ResetRequest,
  refuse: (why: string) => null,
): Promise<Mail | null> {
  const reset = await createReset(passwordChanges, username, { publicUrl, basePath }, nowSeconds())
  if (reset === null) return refuse('the viewer is unknown or disabled')
  const { viewer, link } = reset
  const to = mailAddressOf(viewer, mailAttribute)
  if (to === null) return refuse(`the viewer has no mail address in ${mailAttribute}`)
  const name = greetingNameOf(viewer, nameAttribute)
  const { brand } = entryPoint
  const watchUrl = watchUrlOf(entryPoint)
  const context = { to, name, username: viewer.username, service, language, brand, watchUrl, request }
  return resetMail(context, link, RESET_MINUTES)
}

/** Returns the other viewers whose mail address was typed. */
async function viewersWithAddress(
  { passwordChanges, mailAttribute }: Pick<AccountDeps, 'passwordChanges' | 'mailAttribute'>,
  typed: string,
): Promise<readonly Viewer[]> {
  if (mailAttribute === 'username' || !typed.includes('@')) return []
  const viewers = await passwordChanges.findByAttribute(mailAttribute, typed)
  return viewers.filter(({ username }) => usernameKey(username) !== usernameKey(typed))
}
