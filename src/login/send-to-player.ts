import type { Request, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { Viewer } from '../users/user-store.ts'
import { askAccessPolicy } from './access-decision.ts'
import { passToPlayer } from './pass-to-player.ts'
import type { PlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { sendLocation, sendRedirect } from './screens/send.ts'

export type SendDeps = Pick<
  EntryPointDeps,
  | 'entryPoint'
  | 'hashSecrets'
  | 'accessPolicy'
  | 'visits'
  | 'refusals'
  | 'loopBreaker'
  | 'headersFor'
  | 'logSignIn'
  | 'nowSeconds'
>

export interface AuthenticatedViewer {
  readonly viewer: Viewer
  readonly context: PlayerContext
  readonly outcome: 'signed-in' | 'returned'
  /** The identity at the provider, for the log. Absent for a viewer with a password. */
  readonly identity?: { readonly issuer: string; readonly subject: string }
  /** Returns the secret that signs the response. Called after the decision, which may have taken seconds. */
  readonly secretOf: () => string
  /** Called only if access is granted, so that no other viewer gets a session. Null for no session. */
  readonly openSession: () => Promise<string | null> | string
}

/** Asks the access policy, and redirects the viewer to the player with a response, or shows the refusal. */
export async function sendToPlayer(
  deps: SendDeps,
  req: Request,
  res: Response,
  authenticated: AuthenticatedViewer,
): Promise<void> {
  const { viewer, context, outcome, identity, secretOf, openSession } = authenticated
  const { entryPoint } = deps
  const decision = await askAccessPolicy(deps.accessPolicy, viewer, entryPoint, context.content)
  if (!decision.ok) {
    return deps.refusals.accessDenied(req, res, { viewer, context, decision, isReturn: outcome === 'returned' })
  }
  const secret = secretOf()
  const location = passToPlayer(decision, entryPoint, secret, context.address, deps.nowSeconds())
  deps.logSignIn(req, { outcome, viewer: viewer.username, ...identity })
  const sessionId = await openSession()
  if (sessionId !== null) {
    const hasTwoSecrets = deps.hashSecrets().previous !== null
    deps.loopBreaker.countResponse(sessionId, targetOf(entryPoint, context), hasTwoSecrets ? secret : null)
    if (entryPoint.returningViewers === 'ask') deps.visits.extend(res, sessionId)
  }
  // Not for a session alone: a script must not read a response without a password.
  const send = outcome === 'signed-in' && isAskedByScript(req, entryPoint) ? sendLocation : sendRedirect
  send(res, deps.headersFor(context.address.origin), location)
}

/** True for `public/login.js`. The post is from our own page, and other sites could not read the answer. */
function isAskedByScript({ headers }: Pick<Request, 'headers'>, { hasScript }: EntryPoint): boolean {
  return hasScript && headers.accept === 'application/json'
}

/** Sends a viewer with a session to the player, unless the player keeps sending the viewer back. */
export async function returnToPlayer(
  deps: SendDeps,
  req: Request,
  res: Response,
  { viewer, sessionId, context }: { readonly viewer: Viewer; sessionId: string; readonly context: PlayerContext },
): Promise<void> {
  const target = targetOf(deps.entryPoint, context)
  if (deps.loopBreaker.isLooping(sessionId, target)) return deps.refusals.looping(req, res, viewer, context)
  const secretOf = () => secretForReturn(deps, sessionId, target)
  await sendToPlayer(deps, req, res, { viewer, context, outcome: 'returned', secretOf, openSession: () => sessionId })
}

/** True for a navigation. A script could read the response, but would not lead the viewer to the player. */
export function isNavigation(req: Pick<Request, 'method' | 'headers'>): boolean {
  const destination = req.headers['sec-fetch-dest']
  const isShown = destination === undefined || destination === 'iframe' || destination === 'document'
  return isShown && req.method !== 'HEAD'
}

/**
 * Returns the secret for a returning viewer. The service refused the response of a viewer who comes straight back:
 * during a change of the secret, the lock may have the other secret.
 */
function secretForReturn({ hashSecrets, loopBreaker }: SendDeps, sessionId: string, target: string): string {
  const { current, previous } = hashSecrets()
  if (previous === null) return current
  const refusedWith = (secret: string) => loopBreaker.responsesWith(sessionId, target, secret)
  return refusedWith(current) > refusedWith(previous) ? previous : current
}

function targetOf({ name }: EntryPoint, { address, content }: PlayerContext): string {
  return `${name} ${address.url} ${content.type ?? ''} ${content.id ?? ''}`
}
