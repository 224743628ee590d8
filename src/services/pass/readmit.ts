import type { Request, Response } from 'express'
import { returnToPlayer, type SendDeps, sendToPlayer } from '../../login/send-to-player.ts'
import { type GivenPass, type PassDeps, readPass, returningWith, showSignIn } from './given-pass.ts'

export type ReadmitDeps = SendDeps & PassDeps

/**
 * Sends the viewer of a pass to the player, as after a sign-in, or shows the sign-in screen if the viewer must sign in
 * again. The policy and all gates decide again.
 * @throws UpstreamError as `sendToPlayer()`.
 */
export async function readmit(deps: ReadmitDeps, req: Request, res: Response, given: GivenPass): Promise<void> {
  const { passes, sessions } = deps
  const { context } = given
  const pass = readPass(deps, req, res, given)
  if (pass === null) return
  const { viewer: stored, isShared, isReturn } = pass
  await sessions.nameForm(req, given.sealed)
  const signInAgain = (reason: string) => showSignIn(deps, req, res, { context, viewer: stored.username, reason })
  if (isReturn) {
    const returning = await returningWith(deps, pass, req, res)
    if (returning === null || (await passes.isOver(pass))) return signInAgain('the session of the pass has ended')
    return await returnToPlayer(deps, req, res, { ...returning, context })
  }
  const viewer = await sessions.find(stored)
  if (viewer === null) return signInAgain('the viewer is gone or disabled, or the password or the way in has changed')
  if (await passes.isOver(pass)) return signInAgain('the sign-in of the pass has ended')
  await sendToPlayer(deps, req, res, {
    viewer,
    context,
    outcome: 'signed-in',
    identity: stored.identity,
    isShared,
    async openSession() {
      const id = await (isShared
        ? sessions.forget(req, res)
        : sessions.start(req, res, viewer, stored.identity, stored.signedInAtSeconds))
      // A logout at the provider in the meantime may not have found the session yet.
      return id === null || !(await passes.isOver(pass)) ? id : await sessions.forget(req, res)
    },
  })
}
