import type { Request, RequestHandler, Response } from 'express'
import { deviceOf } from '../../login/log/device.ts'
import type { FoundPasswordLink } from '../../users/account/password-changes.ts'
import { afterPasswordChange } from './after-change.ts'
import { readNewPassword } from './form-fields.ts'
import { readToken } from './links/tokens.ts'
import { type AccountDeps, isForeign, isNotAForm, NOT_FROM_OWN_PAGE } from './route-deps.ts'

/** Shows the form of a link. Changes nothing, because mail scanners open links too. */
export function getNewPassword(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    const read = readToken(req.query.token)
    const found = read && (await deps.passwordChanges.findLink(read.digest, deps.nowSeconds()))
    if (!read || !found) return void refuseLink(deps, req, res)
    deps.pages.send(req, res, await formOf(deps, req, found, read.token))
  }
}

/** Sets the password of a link, once. Does not sign the viewer in. */
export function postNewPassword(deps: AccountDeps): RequestHandler {
  const { again, passwordChanges, pages, logAccount, contextWords, nowSeconds, signInLimits, addressOf } = deps

  return async (req, res) => {
    if (isNotAForm(req, res, deps)) return
    if (isForeign(req, deps, true)) {
      return pages.send(req, res, { view: 'message', message: 'refused' }, NOT_FROM_OWN_PAGE)
    }
    const isSaved = await again(['link', req.body], () => setPassword(req, res))
    if (isSaved) pages.send(req, res, { view: 'message', message: 'saved' })
  }

  /** Returns false if it refused, and answered. */
  async function setPassword(req: Request, res: Response): Promise<boolean> {
    const read = readToken(req.body.token)
    const found = read && (await passwordChanges.findLink(read.digest, nowSeconds()))
    if (!read || !found) return refuseLink(deps, req, res)
    const { viewer, purpose } = found
    const reading = await readNewPassword(req.body, viewer.username, contextWords)
    if (!reading.ok) {
      pages.send(req, res, await formOf(deps, req, found, read.token), reading.refusal)
      return false
    }
    const log = logAccount(req)
    const notice = { entryPoint: deps.entryPoint, language: pages.languageOf(req), log, device: deviceOf(req) }
    // Comes first: a crash must not use up the link before the parts have done what the viewer chose.
    for (const part of deps.parts) await part.apply(viewer, req.body, notice)
    if ((await passwordChanges.setByLink(read.digest, nowSeconds(), reading.password)) === null) {
      return refuseLink(deps, req, res)
    }
    const isReset = purpose === 'reset'
    log({ outcome: isReset ? 'password-reset' : 'password-set', viewer: viewer.username })
    await signInLimits.forgive(viewer.username, addressOf(req))
    await afterPasswordChange(deps, viewer, { ...notice, hasNotice: isReset })
    return true
  }
}

async function formOf(deps: AccountDeps, req: Request, { purpose, viewer }: FoundPasswordLink, token: string) {
  const html = deps.parts.map((part) => part.html(viewer, deps.pages.languageOf(req), req.body ?? {}))
  const parts = (await Promise.all(html)).join('')
  return {
    view: 'new-password',
    token,
    username: viewer.username,
    isInvitation: purpose === 'invitation',
    parts,
  } as const
}

function refuseLink({ pages, logAccount }: AccountDeps, req: Request, res: Response): false {
  logAccount(req)({ outcome: 'link-refused', status: 410 })
  pages.send(req, res, { view: 'message', message: 'deadLink' }, { status: 410, text: 'account.deadLink' })
  return false
}
