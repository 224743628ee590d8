import type { Request, Response } from 'express'
import type { Viewer } from '../../users/user-store.ts'
import type { Passing } from '../pass-to-player.ts'
import type { Carried, CarriedReading } from '../request/player-context.ts'
import { isFromOwnPage } from '../request/same-origin.ts'
import { type LogSignIn, requestIdOf } from '../sign-in-log.ts'
import { describeError } from './error-page.ts'
import type { Screens } from './screens.ts'

/** What is said, and logged, when a request of one entry point is not followed. */
export interface Refusals {
  /** Whether a post came from elsewhere than our own page; logged. */
  isForeign(req: Request): boolean
  /** Answers 415 to a post whose body is not a form, and says whether it did. */
  notAForm(req: Request, res: Response): boolean
  /** 400 and a screen that leads nowhere: an address that is not allowed is never redirected to. */
  badCarried(req: Request, res: Response, reading: Extract<CarriedReading, { ok: false }>): void
  notPassed(
    req: Request,
    res: Response,
    refused: { viewer: Viewer; carried: Carried; passing: Extract<Passing, { ok: false }> },
  ): void
  looping(req: Request, res: Response, viewer: Viewer, carried: Carried): void
  /** For what was thrown before anything of the request was understood. */
  failed(req: Request, res: Response, error: unknown): void
}

export function createRefusals(screens: Screens, logSignIn: LogSignIn, ownOrigin: string): Refusals {
  return {
    isForeign(req) {
      if (isFromOwnPage(req.headers, ownOrigin)) return false
      const { origin = 'absent', 'sec-fetch-site': site = 'absent' } = req.headers
      const reason = `Sec-Fetch-Site ${String(site).slice(0, 20)}, Origin ${origin.slice(0, 200)}`
      logSignIn(req, { outcome: 'not-from-own-page', reason })
      return true
    },
    notAForm(req, res) {
      if (typeof req.body === 'object' && req.body !== null) return false
      logSignIn(req, { outcome: 'refused-request', status: 415, reason: 'the body is not a form' })
      screens.sendMessage(req, res, { title: 'badRequest', refusal: { status: 415, text: 'wrongType' } })
      return true
    },
    badCarried(req, res, { problem, reason }) {
      const what = problem === 'badConsumer' ? 'hashConsumer ' : ''
      logSignIn(req, { outcome: 'refused-request', status: 400, reason: `${what}${reason}` })
      screens.sendMessage(req, res, { title: 'badRequest', refusal: { status: 400, text: problem } })
    },
    notPassed(req, res, { viewer, carried, passing }) {
      const isEntitled = passing.reason !== 'not-entitled'
      const details = isEntitled ? { attribute: passing.attribute, reason: passing.fault } : {}
      logSignIn(req, { outcome: passing.reason, viewer: viewer.username, ...details })
      screens.sendMessage(req, res, {
        title: 'notAllowed',
        refusal: {
          status: 403,
          text: isEntitled ? 'unusableAttribute' : 'notEntitled',
          values: { username: viewer.username },
        },
        onward: { carried, to: 'someoneElse' },
      })
    },
    looping(req, res, viewer, carried) {
      const reason =
        'the player came back three times within ten seconds: it refused our response; check that the secret is the one set on the service, the parameters and their order, and the clocks'
      logSignIn(req, { outcome: 'looping', viewer: viewer.username, reason })
      screens.sendMessage(req, res, {
        title: 'loop',
        refusal: { status: 409, text: 'loop', values: { username: viewer.username } },
        onward: { carried, to: 'tryAgain' },
      })
    },
    failed(req, res, error) {
      const refusal = describeError(error)
      const isOurs = refusal.status >= 500
      if (isOurs) logSignIn(req, { outcome: 'failed', status: refusal.status, error })
      else logSignIn(req, { outcome: 'refused-request', status: refusal.status, reason: refusal.text })
      screens.sendMessage(req, res, {
        title: isOurs ? 'unavailable' : 'badRequest',
        refusal,
        ...(isOurs ? { reference: requestIdOf(req) } : {}),
      })
    },
  }
}
