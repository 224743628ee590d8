import type { RequestHandler } from 'express'
import { checkCredentials } from '../../../login/check-credentials.ts'
import { readSignInForm } from '../../../login/request/sign-in-form.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import { MOST_PASSKEYS } from '../../../users/passkeys/passkey-store.ts'
import { ownPasskeys } from '../own-passkeys.ts'
import { DISABLED } from '../refusals.ts'
import { forOwnForm, type PasskeyRouteDeps } from '../route-deps.ts'
import { openCeremony, showSignIn } from './ceremony.ts'

export const TOO_MANY: Refusal = { status: 403, text: 'passkeys.tooMany' }

/** Checks the password of a viewer who creates or removes a passkey, through the same door as every password. */
export function postPassword(deps: PasskeyRouteDeps): RequestHandler {
  const { passkeys, pages, logSignIn, logAccount } = deps
  return forOwnForm(deps, async (req, res, form) => {
    const { flow } = form
    const fields = readSignInForm(form)
    const { username } = fields.ok ? fields.form : fields
    const refuse = (refusal: Refusal) => showSignIn(deps, req, res, { flow, isCreating: true, username }, refusal)
    if (!fields.ok) {
      logSignIn(req, { outcome: 'refused-request', status: fields.refusal.status, reason: fields.refusal.text })
      return await refuse(fields.refusal)
    }
    const checked = await checkCredentials(deps, req, fields.form)
    if (!checked.ok) return await refuse(checked.refusal)
    const { username: viewer, passwordVersion } = checked.viewer
    const [userHandle, known] = await Promise.all([passkeys.store.userHandleOf(viewer), passkeys.store.list(viewer)])
    if (userHandle === null) {
      logSignIn(req, { outcome: 'disabled', viewer })
      return await refuse(DISABLED)
    }
    const isFull = form.own === undefined && known.length >= MOST_PASSKEYS
    if (isFull) logAccount(req)({ outcome: 'passkey-not-added', viewer, reason: 'too-many' })
    const challenge = await openCeremony(deps, req, res, { flow, creator: viewer, passwordVersion })
    if (challenge === null) return
    if (form.own === undefined && !isFull) {
      return pages.sendCreation(req, res, { flow, challenge, username: viewer, userHandle, known })
    }
    const own = await ownPasskeys(passkeys, viewer, pages.languageOf(req))
    pages.sendOwn(req, res, { flow, challenge, own }, isFull ? TOO_MANY : undefined)
  })
}
