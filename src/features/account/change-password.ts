import type { Request, RequestHandler, Response } from 'express'
import { checkCredentials } from '../../login/check-credentials.ts'
import { deviceOf } from '../../login/log/device.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { isFromOwnPage } from '../../server/same-origin.ts'
import { afterPasswordChange } from './after-change.ts'
import { readCurrentPassword, readNewPassword, readUsername } from './form-fields.ts'
import { type AccountDeps, isForeign, isNotAForm, NOT_FROM_OWN_PAGE } from './route-deps.ts'

const EMPTY: Refusal = { status: 400, text: 'account.emptyPasswords' }
const SAME: Refusal = { status: 400, text: 'account.samePassword' }
const WRONG: Refusal = { status: 401, text: 'account.wrongPassword' }

/**
 * Changes the password of a viewer who knows the current one (OWASP ASVS 6.2.2, 6.2.3), and ends all sessions. Needs no
 * session.
 */
export function postChangePassword(deps: AccountDeps): RequestHandler {
  const { again, pages, logAccount, contextWords, passwordChanges } = deps

  return async (req, res) => {
    if (isNotAForm(req, res, deps)) return
    const isOwn = isFromOwnPage(req.headers, deps.publicUrl.origin)
    const isSaved = await again(['change', isOwn, req.body], () => change(req, res))
    if (isSaved) pages.send(req, res, { view: 'message', message: 'saved' })
  }

  /** Returns false if it refused, and answered. */
  async function change(req: Request, res: Response): Promise<boolean> {
    const username = readUsername(req.body)
    function refuse(refusal: Refusal): false {
      pages.send(req, res, { view: 'change-password', username: username ?? '' }, refusal)
      return false
    }
    if (isForeign(req, deps)) return refuse(NOT_FROM_OWN_PAGE)
    const current = readCurrentPassword(req.body)
    if (username === null || current === null) return refuse(EMPTY)
    const reading = await readNewPassword(req.body, username, contextWords)
    if (!reading.ok) return refuse(reading.refusal)
    if (reading.password === current) return refuse(SAME)
    const checked = await checkCredentials(deps, req, { username, password: current })
    if (!checked.ok) return refuse(checked.refusal.text === 'wrongCredentials' ? WRONG : checked.refusal)
    const { viewer } = checked
    // False if another change was faster: then the current password is wrong by now.
    if (!(await passwordChanges.change(viewer, reading.password))) return refuse(WRONG)
    const log = logAccount(req)
    log({ outcome: 'password-changed', viewer: viewer.username })
    const notice = { entryPoint: deps.entryPoint, language: pages.languageOf(req), log, device: deviceOf(req) }
    await afterPasswordChange(deps, viewer, { ...notice, hasNotice: true })
    return true
  }
}
