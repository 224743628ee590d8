import type { Request, RequestHandler, Response } from 'express'
import type { Sessions } from '../sessions/sessions.ts'
import { type CheckCredentialsDeps, checkCredentials } from './check-credentials.ts'
import { faultEvent } from './log/sign-in-log.ts'
import { isNavigation } from './request/asker.ts'
import { readPlayerContext } from './request/player-context.ts'
import { readSignInForm } from './request/sign-in-form.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { describeError } from './screens/error-page.ts'
import type { LeftForm, ScreenPart } from './screens/screen-part.ts'
import type { Refusal } from './screens/screens.ts'
import { pathOf, sendRedirect } from './screens/send.ts'
import { returnToPlayer, type SendDeps, sendToPlayer } from './send-to-player.ts'

/** The prompt of a viewer who wants another account. */
const OTHER_ACCOUNT = 'other-account'

/** Shows the sign-in screen. Redirects a signed-in viewer to the player at once, with a fresh response. */
export function getSignIn(
  deps: SendDeps & Pick<EntryPointDeps, 'screens' | 'screenParts' | 'sessions'>,
): RequestHandler {
  const { answer, screens, screenParts, sessions, refusals, entryPoint, headersFor } = deps
  const prompts = screenParts.flatMap((part) => part.prompts)

  return async function getSignInScreen(req, res) {
    const query: Record<string, unknown> = req.url.includes('?') ? req.query : {}
    const reading = readPlayerContext(query, answer)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    const returning = await sessions.returningViewer(req, res)
    const own = prompts.find(({ value }) => value === query.prompt)
    if (returning === null || own?.isForSignedIn === true) {
      const left = query.prompt === undefined ? leftForm(screenParts, req) : null
      if (left !== null && 'path' in left) {
        const address = pathOf(entryPoint.basePath + left.path, context.fields)
        return sendRedirect(res, headersFor(context.address.origin), address)
      }
      if (left !== null) return screens.sendSignIn(req, res, { context, ...left })
      const asksAnew = query.prompt === 'login' || query.prompt === OTHER_ACCOUNT
      const prompt = own?.value ?? (asksAnew ? OTHER_ACCOUNT : undefined)
      return screens.sendSignIn(req, res, { context, ...(prompt && { prompt }) })
    }
    const wantsOtherAccount = query.prompt === OTHER_ACCOUNT
    // An old address may have the prompt of a way that is off.
    if ((query.prompt !== undefined && own === undefined) || !isNavigation(req)) {
      const signedInAs = returning.viewer.username
      return screens.sendSignIn(req, res, { context, signedInAs, wantsOtherAccount })
    }
    await returnToPlayer(deps, req, res, { ...returning, context })
  }
}

function leftForm(parts: readonly ScreenPart[], req: Request): LeftForm | null {
  for (const part of parts) {
    const left = part.resume?.(req) ?? null
    if (left !== null) return left
  }
  return null
}

/** Checks the credentials and passes the viewer on to the player. */
export function postSignIn(
  deps: SendDeps & CheckCredentialsDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>,
): RequestHandler {
  const { answer, screens, sessions, refusals, logSignIn } = deps

  return async function postSignInForm(req, res) {
    if (refusals.notAForm(req, res)) return
    const reading = readPlayerContext(req.body, answer)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    const fields = readSignInForm(req.body)
    const { username, isShared } = fields.ok ? fields.form : fields
    const form = { context, username, isShared, prompt: 'password' }
    const show = (refusal: Refusal, signedInAs?: string) =>
      screens.sendSignIn(req, res, { ...form, refusal, ...(signedInAs && { signedInAs }) })
    const showAgain = async (refusal: Refusal) => show(refusal, await signedInAs(sessions, req, res))
    if (refusals.isForeign(req)) return show({ status: 403, text: 'notFromOwnPage' })
    if (!fields.ok) {
      logSignIn(req, { outcome: 'refused-request', status: fields.refusal.status, reason: fields.refusal.text })
      return await showAgain(fields.refusal)
    }
    try {
      answer.assertCapacity()
      const authentication = await checkCredentials(deps, req, fields.form)
      if (!authentication.ok) return await showAgain(authentication.refusal)
      const { viewer } = authentication
      await sessions.nameForm(req, req.body.page, username)
      const openSession = () => (isShared ? sessions.forget(req, res) : sessions.start(req, res, viewer))
      await sendToPlayer(deps, req, res, { viewer, context, outcome: 'signed-in', isShared, openSession })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...faultEvent(error), viewer: username, status: refusal.status })
      show(refusal)
    }
  }
}

/** Returns the name of the viewer who is still signed in after a mistake, and may continue without a password. */
async function signedInAs(sessions: Sessions, req: Request, res: Response): Promise<string | undefined> {
  // A store that fails must not hide the mistake.
  const returning = await sessions.returningViewer(req, res).catch(() => null)
  return returning?.viewer.username
}
