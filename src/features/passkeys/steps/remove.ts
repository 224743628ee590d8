import type { Request, RequestHandler, Response } from 'express'
import { deviceOf } from '../../../login/log/device.ts'
import { ownPasskeys, removeTicked } from '../own-passkeys.ts'
import { refusalOfCeremony } from '../refusals.ts'
import { forOwnForm, type PasskeyRouteDeps, type WindowForm } from '../route-deps.ts'
import { openCeremony, showSignIn, takeCeremony } from './ceremony.ts'

/** Removes passkeys of a viewer who has just typed the password, and ends all sessions of the viewer. */
export function postRemove(deps: PasskeyRouteDeps): RequestHandler {
  const { passkeys, pages, logAccount, entryPoint } = deps
  return forOwnForm(deps, async (req, res, form) => {
    // The cookie: a form that is sent from elsewhere gets no answer of this browser.
    const key = ['remove', req.headers.cookie, form]
    if (await passkeys.again(key, () => remove(req, res, form))) pages.sendRemoved(req, res)
  })

  /** Returns false if it has removed none, and answered. */
  async function remove(req: Request, res: Response, form: WindowForm): Promise<boolean> {
    const taken = await takeCeremony(deps, req, res, String(form.challenge))
    const { creator = null, passwordVersion, network = '' } = taken.ok ? taken.ceremony : {}
    const viewer = creator === null ? null : await passkeys.find(creator)
    if (viewer === null || viewer.passwordVersion !== passwordVersion) {
      const refusal = refusalOfCeremony(taken.ok ? 'expired' : taken.reason)
      await showSignIn(deps, req, res, { flow: form.flow, isCreating: true }, refusal)
      return false
    }
    await passkeys.startLimits.giveBack(network)
    const language = pages.languageOf(req)
    const notice = { entryPoint, language, log: logAccount(req), device: deviceOf(req) }
    if (await removeTicked(passkeys, viewer, form, notice)) {
      await passkeys.endSessionsOf(viewer.username)
      return true
    }
    const page = { flow: form.flow, creator, passwordVersion }
    const challenge = await openCeremony(deps, req, res, page)
    if (challenge === null) return false
    const own = await ownPasskeys(passkeys, viewer.username, language)
    pages.sendOwn(req, res, { flow: form.flow, challenge, own })
    return false
  }
}
