import type { RequestHandler } from 'express'
import { deviceOf } from '../../../login/log/device.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import type { Notice } from '../../../services/account-changes/service.ts'
import { RESULT } from '../../../services/window/flows/flow-store.ts'
import type { PasskeyAddition } from '../../../users/passkeys/passkey-store.ts'
import { DISABLED, refusalOfCeremony, refusalOfFault } from '../refusals.ts'
import { forOwnForm, type PasskeyRouteDeps } from '../route-deps.ts'
import { CreationAnswer } from '../web-authn/answers.ts'
import { showSignIn, takeCeremony } from './ceremony.ts'
import { TOO_MANY } from './password.ts'

const REFUSALS: Readonly<Record<Exclude<PasskeyAddition, 'added'>, Refusal>> = {
  known: { status: 409, text: 'passkeys.exists' },
  'too-many': TOO_MANY,
  'no-viewer': DISABLED,
  'password-changed': refusalOfCeremony('expired'),
}

/** Keeps a new passkey of a viewer who has just typed the password, and signs the viewer in. */
export function postCreate(deps: PasskeyRouteDeps): RequestHandler {
  const { passkeys, pages, logAccount, entryPoint, nowSeconds } = deps
  const { store, checkCreation, relyingParty, flows, startLimits } = passkeys

  return forOwnForm(deps, async (req, res, form) => {
    const log = logAccount(req)
    const refuse = async (reason: string, refusal: Refusal, viewer?: string) => {
      log({ outcome: 'passkey-not-added', viewer, status: refusal.status, reason })
      await showSignIn(deps, req, res, { flow: form.flow, isCreating: true, username: viewer ?? '' }, refusal)
    }
    const challenge = String(form.challenge)
    const taken = await takeCeremony(deps, req, res, challenge)
    if (!taken.ok) return await refuse(taken.reason, refusalOfCeremony(taken.reason))
    const { creator, passwordVersion, flow, network } = taken.ceremony
    if (creator === null) return await refuse('no-password', refusalOfCeremony('expired'))
    const answer = CreationAnswer.safeParse(form)
    if (!answer.success) return await refuse('unreadable', refusalOfFault('unreadable'), creator)
    const check = await checkCreation(answer.data, challenge, relyingParty)
    if (!check.ok) return await refuse(check.fault, refusalOfFault(check.fault), creator)
    const device = deviceOf(req)
    const name = device.join(' on ') || 'unknown browser'
    const passkey = { ...check.passkey, name, createdAtSeconds: nowSeconds() }
    const addition = await store.add(creator, passkey, passwordVersion)
    if (addition !== 'added') return await refuse(addition, REFUSALS[addition], creator)
    log({ outcome: 'passkey-added', viewer: creator })
    const viewer = await passkeys.find(creator)
    if (viewer === null) return await refuse('no-viewer', REFUSALS['no-viewer'], creator)
    passkeys.notify(viewer, { mailOf: addedMail, entryPoint, language: pages.languageOf(req), log, device })
    await startLimits.giveBack(network)
    const result = { entryPoint: entryPoint.name, storedName: creator, passwordVersion, credential: passkey.id }
    await flows.put(RESULT, flow, result)
    deps.logSignIn(req, { outcome: 'passkey-signed-in', viewer: creator })
    pages.sendDone(req, res, creator, true)
  })
}

/** A new password does not remove a passkey, so the notice tells the viewer where to do so. */
const addedMail: Notice['mailOf'] = ({ passkeys: { mail } }) => ({
  subject: mail.subject,
  paragraphs: [mail.added, mail.notYou],
})
