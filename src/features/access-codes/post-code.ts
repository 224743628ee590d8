import type { RequestHandler } from 'express'
import { faultEvent } from '../../login/log/sign-in-log.ts'
import { readPost } from '../../login/posts.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { sendToPlayer } from '../../login/send-to-player.ts'
import { guestIdentity } from '../../services/guests/guest-identity.ts'
import { type CheckDeps, checkCode } from './check-code.ts'
import { readCodeForm } from './code-form.ts'
import { viewerOf } from './codes/code-records.ts'
import type { CodeStore } from './codes/code-store.ts'
import { CODES_ISSUER } from './guest-way.ts'
import { PROMPT } from './screen-part.ts'

export interface CodeDeps extends EntryPointDeps, CheckDeps {
  readonly codes: Pick<CodeStore, 'find' | 'use'>
  readonly sessionLifetimeSeconds: number
}

/**
 * Signs a viewer in with a code. Only by a post of our own form: an address with a code would stay in histories and logs, and
 * a program that opens links would use the code up.
 */
export function postCode(deps: CodeDeps): RequestHandler {
  const { settings, screens, answer, logSignIn, sessions, nowSeconds } = deps
  return async function signInWithCode(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const body: Readonly<Record<string, unknown>> = req.body ?? {}
    const isShared = body.shared !== undefined
    const typed = typeof body.name === 'string' ? body.name.slice(0, 200) : ''
    const show = (refusal: Refusal) =>
      screens.sendSignIn(req, res, { context, refusal, username: typed, isShared, prompt: PROMPT })
    const read = readCodeForm(body, settings)
    if (!read.ok) {
      logSignIn(req, { outcome: 'refused-request', status: read.status, reason: read.text })
      return show(read)
    }
    try {
      answer.assertCapacity()
      await sessions.nameForm(req, body.page, read.form.code)
      const checked = await checkCode(deps, req, res, read.form.code, context)
      if (!checked.ok) return show(checked.refusal)
      const { known } = checked
      const now = Math.floor(nowSeconds())
      const use = await deps.codes.use(known, read.form.name, now)
      const { viewer, subject } = viewerOf(known, use, read.form.name)
      const sessionEnd = now + deps.sessionLifetimeSeconds
      const identity = guestIdentity(
        CODES_ISSUER,
        subject,
        Math.min(sessionEnd, known.batch.endsAtSeconds ?? sessionEnd),
      )
      const openSession = () => (isShared ? sessions.forget(req, res) : sessions.start(req, res, viewer, identity))
      await sendToPlayer(deps, req, res, { viewer, context, outcome: 'signed-in', identity, isShared, openSession })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...faultEvent(error), status: refusal.status })
      show(refusal)
    }
  }
}
