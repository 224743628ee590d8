import type { Request, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { ReturningViewer } from '../sessions/sessions.ts'
import { type AccessDeps, askAccess } from './answer/access-decision.ts'
import { loggedIdentity } from './log/sign-in-log.ts'
import { isAskedByScript } from './request/asker.ts'
import type { PlayerContext } from './request/player-context.ts'
import type { AuthenticatedViewer, EntryPointDeps } from './route-deps.ts'
import { sendLocation, sendRedirect } from './screens/send.ts'

export type SendDeps = AccessDeps &
  Pick<
    EntryPointDeps,
    'answer' | 'gates' | 'sessions' | 'signInLimits' | 'refusals' | 'loopBreaker' | 'headersFor' | 'logSignIn'
  >

/** Asks the access policy, and redirects the viewer to the player with the answer, or shows the refusal. */
export async function sendToPlayer(
  deps: SendDeps,
  req: Request,
  res: Response,
  authenticated: AuthenticatedViewer,
): Promise<void> {
  const { viewer, context, openSession } = authenticated
  const isSignIn = authenticated.outcome === 'signed-in'
  const { entryPoint } = deps
  const gates = deps.gates.map((gate) => () => gate(req, res, authenticated))
  const decision = await askAccess(deps, viewer, context.content, gates)
  if (!decision.ok) {
    if (decision.reason === 'held') return decision.send()
    return deps.refusals.accessDenied(req, res, { viewer, context, decision, isReturn: !isSignIn })
  }
  const target = targetOf(entryPoint, context)
  const timesRefused = (key: string) =>
    authenticated.sessionId === undefined ? 0 : deps.loopBreaker.answersWith(authenticated.sessionId, target, key)
  const { location, key } = await deps.answer.build(decision, context.address, timesRefused)
  // A double click is one sign-in: its second post returns to what the first one began.
  const form = isSignIn ? deps.sessions.idOfForm(req) : undefined
  const isAgain = form !== undefined && (await deps.signInLimits.isAgain(form).catch(() => false))
  const outcome = isAgain ? 'returned' : authenticated.outcome
  deps.logSignIn(req, { outcome, viewer: viewer.username, ...loggedIdentity(authenticated) })
  const sessionId = await openSession()
  for (const onGranted of decision.onGranted) await onGranted(sessionId, decision.endsAtSeconds)
  if (sessionId !== null) deps.loopBreaker.countAnswer(sessionId, target, key)
  // Not for a session alone: a script must not read a response without a password.
  const send = isSignIn && isAskedByScript(req, entryPoint) ? sendLocation : sendRedirect
  send(res, deps.headersFor(context.address.origin), location)
}

/** Sends a viewer with a session to the player, unless the player keeps sending the viewer back. */
export async function returnToPlayer(
  deps: SendDeps,
  req: Request,
  res: Response,
  returning: ReturningViewer & { readonly context: PlayerContext },
): Promise<void> {
  const { entryPoint, answer, loopBreaker, refusals } = deps
  const { viewer, sessionId, context } = returning
  if (loopBreaker.isLooping(sessionId, targetOf(entryPoint, context), answer.answersOfLoop)) {
    answer.onLoop()
    return refusals.looping(req, res, { viewer, context, causes: answer.causesOfLoop })
  }
  await sendToPlayer(deps, req, res, { ...returning, outcome: 'returned', openSession: () => sessionId })
}

function targetOf({ name }: EntryPoint, { address, content }: PlayerContext): string {
  return `${name} ${address.url} ${content.type ?? ''} ${content.id ?? ''}`
}
