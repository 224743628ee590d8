import { randomBytes } from 'node:crypto'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { tooManyTries } from '../../login/check-credentials.ts'
import { readPost } from '../../login/posts.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { digestOf, formDigest } from '../../services/window/random-text.ts'
import { windowFaultEvent } from '../../services/window/window-fault.ts'
import { networkOf } from '../../sign-in-limits/keys.ts'
import { cleanText } from '../../typed-text.ts'
import { CODE } from './flow-kinds.ts'
import { PROMPTS } from './refusals.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { sendResult } from './send-result.ts'

/** 32 characters that are hard to confuse. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8
/** The text of the page tells a form that comes twice from two forms. */
const Form = z.object({ code: z.string().max(400), page: z.string().max(40).optional() })

/** Returns a new code of 40 random bits. */
export function newCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
}

/** Collects the result of another device with the code that the viewer typed in the frame. */
export function postCode(deps: SsoRouteDeps): RequestHandler {
  const { sso, entryPoint, answer, screens, sessions, addressOf, logSignIn } = deps
  return async function collectByCode(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const show = (refusal: Refusal) => screens.sendSignIn(req, res, { context, refusal, prompt: PROMPTS.code })
    try {
      answer.assertCapacity()
      const network = networkOf(addressOf(req))
      const retryAfterSeconds = await sso.startLimits.countCode(network)
      if (retryAfterSeconds !== null) {
        logSignIn(req, { outcome: 'held-back', limit: 'sso-codes' })
        return show(tooManyTries(retryAfterSeconds))
      }
      const form = Form.safeParse(req.body)
      // Viewers write spaces and small letters, Japanese keyboards write wide letters, and pastes have hidden characters.
      const code = form.success ? cleanText(form.data.code).normalize('NFKC').replace(/[\s-]/g, '').toUpperCase() : ''
      const { page } = form.data ?? {}
      const result = await sso.flows.take(CODE, digestOf(code), formDigest(page, context))
      await sessions.nameForm(req, page, code)
      if (result === null || result.entryPoint !== entryPoint.name) {
        logSignIn(req, { outcome: 'sso-refused', status: 401, reason: 'wrong-code' })
        return show({ status: 401, text: 'sso.ssoWrongCode' })
      }
      await sso.startLimits.giveBackCode(network)
      if (!(await sendResult(deps, req, res, context, result))) show({ status: 401, text: 'sso.ssoWrongCode' })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...windowFaultEvent(error, 'sso'), status: refusal.status })
      show(refusal)
    }
  }
}
