import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { UpstreamError } from '../errors.ts'
import type { PlayerContext } from '../login/request/player-context.ts'
import { readPost } from '../login/request/read-post.ts'
import { describeError } from '../login/screens/error-page.ts'
import { flowOf } from '../login/screens/sso-parts.ts'
import { sendToPlayer } from '../login/send-to-player.ts'
import type { SignInResult } from '../sign-in-window/flows/flow-store.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { providerIdOf } from './settings/sso-settings.ts'

const Form = z.object({ wait: z.string().regex(/^[A-Za-z0-9_-]{43}$/) })

/**
 * Collects the result of the window in the frame, and sends the viewer to the player, as after a password. Shows the reason
 * if the window refused.
 */
export function postSsoContinue(deps: SsoRouteDeps): RequestHandler {
  const { sso, settings, entryPoint, screens, logSignIn } = deps

  return async function collectResult(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const form = Form.safeParse(req.body)
    // A screen without the secret begins anew.
    if (!form.success) return screens.sendSignIn(req, res, { context, refusal: { status: 400, text: 'ssoNotYet' } })
    const { wait } = form.data
    try {
      const result = await sso.flows.take('result', flowOf(wait))
      if (result === null || result.entryPoint !== entryPoint.name) {
        logSignIn(req, { outcome: 'sso-not-yet' })
        return screens.sendSignIn(req, res, { context, refusal: { status: 409, text: 'ssoNotYet' }, wait })
      }
      if ('refusal' in result) {
        logSignIn(req, { outcome: 'sso-not-yet', reason: result.refusal })
        const values = { provider: settings.label }
        const refusal = { status: 403, text: result.refusal, values }
        // Another account may help: the provider asks which one.
        return screens.sendSignIn(req, res, { context, refusal, wait, account: 'other' })
      }
      await sendResult(deps, req, res, context, result)
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { outcome: 'failed', status: refusal.status, error })
      screens.sendSignIn(req, res, { context, refusal, wait })
    }
  }
}

/** Sends the viewer of a result to the player, with a session that knows the provider. */
export async function sendResult(
  deps: SsoRouteDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  { username, groups, attributes, issuer, subject, providerSession, signedInAtSeconds }: SignInResult,
): Promise<void> {
  const { settings, sessions } = deps
  const viewer = { username, groups, attributes }
  const endsAtSeconds = signedInAtSeconds + settings.sessionSeconds
  const origin = { providerId: providerIdOf(settings), issuer, subject, providerSession, endsAtSeconds }
  await sendToPlayer(deps, req, res, {
    viewer,
    context,
    outcome: 'signed-in',
    identity: { issuer, subject },
    secretOf: () => deps.hashSecrets().current,
    openSession: () => sessions.start(req, res, viewer, origin),
  })
}

/** Tells the script of the screen if the sign-in in the window has ended. Leaves the result there. */
export function postStatus({ sso, refusals, headersFor }: SsoRouteDeps): RequestHandler {
  return async function tellStatus(req, res) {
    res.set(headersFor(null))
    if (refusals.isForeign(req)) return void res.status(403).json({ status: 'refused' })
    const form = Form.safeParse(req.body)
    if (!form.success) return void res.status(400).json({ status: 'refused' })
    try {
      const isReady = await sso.flows.has('result', flowOf(form.data.wait))
      res.json({ status: isReady ? 'ready' : 'waiting' })
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      // No line: the link to Redis logs its outage, and thousands of frames ask every two seconds.
      res.status(503).set('Retry-After', '5').json({ status: 'unavailable' })
    }
  }
}
