import type { RequestHandler } from 'express'
import { deviceOf } from '../../../login/log/device.ts'
import { ownPasskeys, removeTicked } from '../own-passkeys.ts'
import { refusalOfCeremony } from '../refusals.ts'
import { forOwnForm, type PasskeyRouteDeps } from '../route-deps.ts'
import { openCeremony, showSignIn, takeCeremony } from './ceremony.ts'

/** Removes passkeys of a viewer who has just typed the password, and ends all sessions of the viewer. */
export function postRemove(deps: PasskeyRouteDeps): RequestHandler {
  const { passkeys, pages, logAccount, entryPoint } = deps
  return forOwnForm(deps, async (req, res, form) => {
    const taken = await takeCeremony(deps, req, res, String(form.challenge))
    const { creator = null, passwordVersion, network = '' } = taken.ok ? taken.ceremony : {}
    const viewer = creator === null ? null : await passkeys.find(creator)
    if (viewer === null || viewer.passwordVersion !== passwordVersion) {
      const refusal = refusalOfCeremony(taken.ok ? 'expired' : taken.reason)
      return await showSignIn(deps, req, res, { flow: form.flow, isCreating: true }, refusal)
    }
    await passkeys.startLimits.giveBack(network)
    const language = pages.languageOf(req)
    const notice = { entryPoint, language, log: logAccount(req), device: deviceOf(req) }
    if (await removeTicked(passkeys, viewer, form, notice)) {
      await passkeys.endSessionsOf(viewer.username)
      return pages.sendRemoved(req, res)
    }
    const page = { flow: form.flow, creator, passwordVersion }
    const challenge = await openCeremony(deps, req, res, page)
    if (challenge === null) return
    const own = await ownPasskeys(passkeys, viewer.username, language)
    pages.sendOwn(req, res, { flow: form.flow, challenge, own })
  })
}
