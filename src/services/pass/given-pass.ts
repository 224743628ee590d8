import type { Request, Response } from 'express'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import type { ReturningViewer } from '../../sessions/sessions.ts'
import type { Pass, Passes } from './passes.ts'

export type PassDeps = Pick<EntryPointDeps, 'screens' | 'sessions' | 'logSignIn'> & {
  readonly passes: Pick<Passes, 'read' | 'isOver' | 'assertSessions'>
}

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
  deps: Pick<PassDeps, 'passes' | 'screens' | 'logSignIn'>,
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
 * Returns the viewer of the session that belongs to a pass. Null if the session has ended, or is of another viewer.
 * @throws UpstreamError if the session store fails: the viewer may still have the session.
 */
export async function returningWith(
  { passes, sessions }: Pick<PassDeps, 'sessions'> & { readonly passes: Pick<Passes, 'assertSessions'> },
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
  { screens, logSignIn }: Pick<PassDeps, 'screens' | 'logSignIn'>,
  req: Request,
  res: Response,
  { context, reason, viewer }: Again,
): void {
  logSignIn(req, { outcome: 'refused-request', reason, viewer })
  screens.sendSignIn(req, res, { context, ...(viewer !== undefined && { username: viewer }) })
}
