import type { Request, Response } from 'express'
import type { PlayerContext } from '../../login/request/player-context.ts'
import { sendToPlayer } from '../../login/send-to-player.ts'
import type { WindowMethod } from '../../services/window/continue.ts'
import { RefusedSignIn, SignInResult } from './flow-kinds.ts'
import { isLoggedOut } from './logout/logged-out.ts'
import { PROMPTS, textOfRefusal } from './refusals.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { providerIdOf } from './settings/sso-settings.ts'

/** Sends the SSO viewer from the window to the player, or shows why the window refused. */
export function sendSsoResult(deps: SsoRouteDeps): WindowMethod['sendResult'] {
  const { settings, screens, logSignIn } = deps
  return async (req, res, { context, result, frameSecret }) => {
    const { data: refused } = RefusedSignIn.safeParse(result)
    if (refused) {
      logSignIn(req, { outcome: 'sso-not-yet', reason: refused.refusal })
      const values = { provider: settings.label }
      const isOutage = refused.refusal === 'unavailable'
      const refusal = { status: isOutage ? 503 : 403, text: textOfRefusal(refused.refusal), values }
      const prompt = isOutage ? PROMPTS.start : PROMPTS.refused
      screens.sendSignIn(req, res, { context, refusal, frameSecret, prompt })
      return true
    }
    const { data: signedIn } = SignInResult.safeParse(result)
    if (signedIn === undefined) return false
    if (await sendResult(deps, req, res, context, signedIn)) return true
    const refusal = { status: 409, text: 'window.ssoNotYet' } as const
    screens.sendSignIn(req, res, { context, refusal, frameSecret, prompt: PROMPTS.start })
    return true
  }
}

/**
 * Sends the viewer of a result to the player, with a session that knows the provider. Returns false, and sends nothing, if
 * the provider has ended the viewer's session in the meantime.
 */
export async function sendResult(
  deps: SsoRouteDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  result: SignInResult,
): Promise<boolean> {
  const { settings, sessions, sso, sessionStore, logSignIn } = deps
  const { username, groups, attributes, issuer, subject, providerSession, signedInAtSeconds } = result
  if (await isLoggedOut(sso.flows, result)) {
    logSignIn(req, { outcome: 'sso-refused', viewer: username, issuer, subject, reason: 'logged-out' })
    return false
  }
  const viewer = { username, groups, attributes }
  const endsAtSeconds = signedInAtSeconds + settings.sessionSeconds
  const identity = { providerId: providerIdOf(settings), issuer, subject, providerSession, endsAtSeconds }
  await sendToPlayer(deps, req, res, {
    viewer,
    context,
    outcome: 'signed-in',
    identity,
    async openSession() {
      const id = await sessions.start(req, res, viewer, identity)
      // A logout in the meantime may not have found the session yet.
      if (id === null || !(await isLoggedOut(sso.flows, result))) return id
      await sessionStore.endIdentitySessions(identity)
      return null
    },
  })
  return true
}
