import type { Request, Response } from 'express'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { returnToPlayer, type SendDeps, sendToPlayer } from '../../login/send-to-player.ts'
import type { ReturningViewer } from '../../sessions/sessions.ts'
import type { Pass, Passes } from './passes.ts'

export type ReadmitDeps = SendDeps &
  Pick<EntryPointDeps, 'screens' | 'sessions'> & { readonly passes: Pick<Passes, 'read' | 'isOver' | 'assertSessions'> }

/** A pass as the request has it, with the fields of the player, which were checked again. */
export interface GivenPass {
  readonly sealed: unknown
  readonly context: PlayerContext
}

/**
 * Reads a pass. Shows the sign-in screen if the pass does not count.
 * @returns null if it answered.
 */
export function readPass(
  deps: Pick<ReadmitDeps, 'passes' | 'screens' | 'logSignIn'>,
  req: Request,
  res: Response,
  { sealed, context }: GivenPass,
): Pass | null {
  const reading = deps.passes.read(sealed, context)
  if (reading.ok) return reading.pass
  showSignIn(deps, req, res, { context, ...reading })
  return null
}

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
      return id === null || (await passes.isOver(pass)) ? null : id
    },
  })
}

/**
 * Returns the viewer of the session that belongs to a pass. Null if the session has ended, or is of another viewer.
 * @throws UpstreamError if the session store fails: the viewer may still have the session.
 */
export async function returningWith(
  { passes, sessions }: Pick<ReadmitDeps, 'sessions'> & { readonly passes: Pick<Passes, 'assertSessions'> },
  { viewer: stored }: Pass,
  req: Request,
  res: Response,
): Promise<ReturningViewer | null> {
  const returning = await sessions.returningViewer(req, res)
  if (returning === null) await passes.assertSessions()
  const isSame =
    returning?.viewer.username === stored.username && returning.identity?.subject === stored.identity?.subject
  return isSame ? returning : null
}

interface Again {
  readonly context: PlayerContext
  readonly reason: string
  readonly viewer?: string
}

/** Shows the sign-in screen to a viewer whose pass does not count, with the name, if it is known. */
export function showSignIn(
  { screens, logSignIn }: Pick<ReadmitDeps, 'screens' | 'logSignIn'>,
  req: Request,
  res: Response,
  { context, reason, viewer }: Again,
): void {
  logSignIn(req, { outcome: 'refused-request', reason, viewer })
  screens.sendSignIn(req, res, { context, ...(viewer !== undefined && { username: viewer }) })
}
