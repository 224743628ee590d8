import type { Request, Response } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { HashSecrets } from '../entry-points/hash-secrets.ts'
import type { Viewer } from '../users/user-store.ts'
import { type AccessGranted, askAccessPolicy } from './access-decision.ts'
import { passTokenToPlayer, passToPlayer } from './pass-to-player.ts'
import type { PlayerContext } from './request/player-context.ts'
import type { AnswerKeys, EntryPointDeps } from './route-deps.ts'
import { sendLocation, sendRedirect } from './screens/send.ts'

export type SendDeps = Pick<
  EntryPointDeps,
  | 'entryPoint'
  | 'answerKeys'
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
  /** The session of a viewer who returned. Absent after a sign-in. */
  readonly sessionId?: string
  /** Called only if access is granted, so that no other viewer gets a session. Null for no session. */
  readonly openSession: () => Promise<string | null> | string
}

/** Asks the access policy, and redirects the viewer to the player with a response or token, or shows the refusal. */
export async function sendToPlayer(
  deps: SendDeps,
  req: Request,
  res: Response,
  authenticated: AuthenticatedViewer,
): Promise<void> {
  const { viewer, context, outcome, identity, openSession } = authenticated
  const { entryPoint } = deps
  const decision = await askAccessPolicy(deps.accessPolicy, viewer, entryPoint, context.content)
  if (!decision.ok) {
    return deps.refusals.accessDenied(req, res, { viewer, context, decision, isReturn: outcome === 'returned' })
  }
  const { location, secret } = await answerFor(deps, decision, authenticated)
  deps.logSignIn(req, { outcome, viewer: viewer.username, ...identity })
  const sessionId = await openSession()
  if (sessionId !== null) {
    deps.loopBreaker.countAnswer(sessionId, targetOf(entryPoint, context), secret)
    if (entryPoint.returningViewers === 'ask') deps.visits.extend(res, sessionId)
  }
  // Not for a session alone: a script must not read a response without a password.
  const send = outcome === 'signed-in' && isAskedByScript(req, entryPoint) ? sendLocation : sendRedirect
  send(res, deps.headersFor(context.address.origin), location)
}

/**
 * Call it before work that would be lost without an answer: a password check, the result of a window.
 * @throws OverloadedError and UpstreamError if no token can be built now.
 */
export function assertCanAnswer(answerKeys: AnswerKeys): void {
  if (answerKeys.viewerAuth === 'token') answerKeys.issuer.assertCapacity()
}

interface PlayerAnswer {
  /** The address to redirect to. A credential: never log it. */
  readonly location: string
  /** The secret of the response. Null unless the entry point has two. */
  readonly secret: string | null
}

/** Builds the answer. Reads keys and time now, after the decision, which may have taken seconds. */
async function answerFor(
  deps: SendDeps,
  granted: AccessGranted,
  { context, sessionId }: AuthenticatedViewer,
): Promise<PlayerAnswer> {
  const { answerKeys, loopBreaker, nowSeconds } = deps
  const { address } = context
  if (answerKeys.viewerAuth === 'token') {
    return { location: await passTokenToPlayer(granted, answerKeys.issuer, address), secret: null }
  }
  const { entryPoint } = answerKeys
  const secrets = answerKeys.hashSecrets()
  const refusals = (secret: string) =>
    sessionId === undefined ? 0 : loopBreaker.responsesWith(sessionId, targetOf(entryPoint, context), secret)
  const secret = secretFor(secrets, refusals)
  const location = passToPlayer(granted, entryPoint, secret, address, nowSeconds())
  return { location, secret: secrets.previous === null ? null : secret }
}

/**
 * Returns the secret for a response. The service refused the response of a viewer who comes straight back: during a
 * change of the secret, the lock may have the other secret.
 * @param refusals returns how many responses with a secret the service has refused.
 */
function secretFor({ current, previous }: HashSecrets, refusals: (secret: string) => number): string {
  return previous !== null && refusals(current) > refusals(previous) ? previous : current
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
  const { entryPoint, answerKeys, loopBreaker, refusals } = deps
  const { viewerAuth } = entryPoint
  if (loopBreaker.isLooping(sessionId, targetOf(entryPoint, context), viewerAuth)) {
    if (answerKeys.viewerAuth === 'token') answerKeys.issuer.refetchKeys()
    return refusals.looping(req, res, { viewer, context, viewerAuth })
  }
  await sendToPlayer(deps, req, res, { viewer, context, outcome: 'returned', sessionId, openSession: () => sessionId })
}

/** True for a navigation. A script could read the response, but would not lead the viewer to the player. */
export function isNavigation(req: Pick<Request, 'method' | 'headers'>): boolean {
  const destination = req.headers['sec-fetch-dest']
  const isShown = destination === undefined || destination === 'iframe' || destination === 'document'
  return isShown && req.method !== 'HEAD'
}

function targetOf({ name }: EntryPoint, { address, content }: PlayerContext): string {
  return `${name} ${address.url} ${content.type ?? ''} ${content.id ?? ''}`
}
