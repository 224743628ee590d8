import { type Request, type RequestHandler, type Response, Router } from 'express'
import { languageOf } from '../../languages/languages.ts'
import { tooManyTries } from '../../login/check-credentials.ts'
import { deviceOf } from '../../login/log/device.ts'
import { faultEvent, requestIdOf } from '../../login/log/sign-in-log.ts'
import { readPost } from '../../login/posts.ts'
import { formBody } from '../../login/request/form-body.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendFault, sendWrongMethod } from '../../login/routes.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal, SignInState } from '../../login/screens/screens.ts'
import { sendToPlayer } from '../../login/send-to-player.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { parseMailAddress } from '../../services/guests/mail-address.ts'
import { SECRET, WRONG_CODE } from '../../services/mail-code/code.ts'
import type { CodeCookie } from '../../services/mail-code/code-cookie.ts'
import type { CodeUse, MailCodes } from '../../services/mail-code/mail-codes.ts'
import type { MailViewers } from './mail-viewers.ts'
import { PROMPTS } from './screen-part.ts'

export interface MailSignInDeps extends EntryPointDeps {
  readonly codes: MailCodes
  readonly cookie: CodeCookie
  readonly viewers: MailViewers
}

const ASK_PATH = '/mail-code'
const CHECK_PATH = '/mail-code/check'

/** Creates the routes of one entry point, below its base path. */
export function mailSignInRoutes(deps: MailSignInDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.post(ASK_PATH, formBody, postAddress(deps))
  router.post(CHECK_PATH, formBody, postCode(deps))
  router.all([ASK_PATH, CHECK_PATH], onlyMethods('POST', sendWrongMethod(deps)))
  router.use(sendFault(deps))
  return router
}

interface Form {
  /** As typed. */
  readonly mail: string
  /** Null for anything but the address of one mailbox. */
  readonly address: string | null
  /** The secret of the frame. Empty in the first form of the frame, which has `start`. */
  readonly secret: string
  readonly start: string
  readonly code: unknown
  readonly isShared: boolean
}

function readForm({ body }: Pick<Request, 'body'>): Form {
  const { mail, frame, start, code, shared }: Readonly<Record<string, unknown>> = body ?? {}
  const typed = typeof mail === 'string' ? mail.slice(0, 255) : ''
  // Any other text must not come into the page, which shows the secret again as it is.
  const secretIn = (text: unknown) => (typeof text === 'string' && SECRET.test(text) ? text : '')
  const secrets = { secret: secretIn(frame), start: secretIn(start) }
  return { mail: typed, address: parseMailAddress(mail), ...secrets, code, isShared: shared === 'on' }
}

/** Sends the form again. The name of the viewer on the screen is the address. */
function screenOf({ screens }: Pick<EntryPointDeps, 'screens'>, req: Request, res: Response, context: PlayerContext) {
  return (state: Pick<SignInState, 'refusal' | 'username' | 'frameSecret' | 'prompt' | 'isShared'>) =>
    screens.sendSignIn(req, res, { context, ...state })
}

/** Answers every address in the same way, after the same steps. The app decides after the answer who gets a code. */
function postAddress(deps: MailSignInDeps): RequestHandler {
  const { entryPoint, codes, cookie, addressOf, logSignIn } = deps
  return async function postAddressForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const show = screenOf(deps, req, res, context)
    const { mail, address, secret, start } = readForm(req)
    if (address === null) {
      const refusal = { status: 400, text: 'mail-code.badAddress' } as const
      logSignIn(req, { outcome: 'refused-request', status: 400, reason: 'not a mail address' })
      return show({ prompt: PROMPTS.address, username: mail, refusal })
    }
    const here = secret === '' ? { prompt: PROMPTS.address } : { prompt: PROMPTS.code, frameSecret: secret }
    try {
      const asked = await codes.ask({
        address,
        secret: secret || start,
        isFirst: secret === '',
        clientAddress: addressOf(req),
        language: languageOf(req, entryPoint.brand.defaultLanguage),
        device: deviceOf(req),
        requestId: requestIdOf(req),
      })
      if (!asked.ok) {
        logSignIn(req, { outcome: 'held-back', viewer: address, limit: asked.limit })
        return show({ ...here, username: address, refusal: tooManyTries(asked.retryAfterSeconds) })
      }
      logSignIn(req, { outcome: 'mail-code-asked', viewer: address })
      cookie.keep(res, { secret: asked.secret, address })
      const prompt = asked.isLate ? PROMPTS.late : PROMPTS.code
      show({ prompt, username: address, frameSecret: asked.secret })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...faultEvent(error), viewer: address, status: refusal.status })
      show({ ...here, username: address, refusal })
    }
  }
}

/** Checks a code, and passes the viewer on to the player. */
function postCode(deps: MailSignInDeps): RequestHandler {
  const { answer, codes, cookie, viewers, sessions, addressOf, logSignIn } = deps
  return async function postCodeForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const show = screenOf(deps, req, res, context)
    const { address, secret, code, isShared } = readForm(req)
    if (address === null) return show({ prompt: PROMPTS.address })
    const again = (refusal: Refusal) =>
      show({ prompt: PROMPTS.code, username: address, frameSecret: secret, isShared, refusal })
    try {
      answer.assertCapacity()
      const used = await codes.use({ secret, address, code, clientAddress: addressOf(req) })
      if (!used.ok) {
        const { event, refusal } = refusalOf(used)
        logSignIn(req, { ...event, viewer: address })
        return again(refusal)
      }
      cookie.clear(req, res)
      await sessions.nameForm(req, secret, address)
      const signedIn = await viewers.find(address)
      if (signedIn.viewer === null) {
        const { reason } = signedIn
        logSignIn(req, { outcome: 'mail-guest-removed', viewer: address, status: 403, ...(reason && { reason }) })
        return show({ prompt: PROMPTS.address, refusal: { status: 403, text: 'mail-sign-in.removed' } })
      }
      const { viewer, identity } = signedIn
      // The identity of a guest tells the way in; a viewer of the store has none.
      if (identity === undefined) logSignIn(req, { outcome: 'mail-signed-in', viewer: viewer.username })
      const openSession = () => (isShared ? sessions.forget(req, res) : sessions.start(req, res, viewer, identity))
      const visit = { viewer, context, outcome: 'signed-in', isShared, openSession } as const
      await sendToPlayer(deps, req, res, { ...visit, ...(identity && { identity }) })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...faultEvent(error), viewer: address, status: refusal.status })
      again(refusal)
    }
  }
}

function refusalOf(used: Exclude<CodeUse, { readonly ok: true }>) {
  if ('limit' in used) {
    const event = { outcome: 'held-back', limit: used.limit }
    return { event, refusal: tooManyTries(used.retryAfterSeconds) }
  }
  const event = { outcome: `mail-code-${used.reason}`, status: 401 }
  return { event, refusal: { status: 401, text: WRONG_CODE[used.reason] } satisfies Refusal }
}
