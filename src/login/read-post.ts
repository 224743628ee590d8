import type { Request, Response } from 'express'
import { hasBody } from './request/form-body.ts'
import { type PlayerContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'

/**
 * Reads a post of our own page that has only the fields of the player. A post without a body counts as an empty form.
 * @returns null if the post is refused, and answered.
 */
export function readPost(
  { answer, screens, refusals }: Pick<EntryPointDeps, 'answer' | 'screens' | 'refusals'>,
  req: Request,
  res: Response,
): PlayerContext | null {
  if (hasBody(req) && refusals.notAForm(req, res)) return null
  const reading = readPlayerContext(req.body ?? {}, answer)
  if (!reading.ok) {
    refusals.badContext(req, res, reading)
    return null
  }
  const { context } = reading
  if (!refusals.isForeign(req)) return context
  screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'notFromOwnPage' } })
  return null
}
