import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import type { Logger } from 'pino'

declare global {
  namespace Express {
    interface Request {
      /** Set by requestIdOf(). */
      id?: string
    }
  }
}

export type SignInOutcome =
  | 'signed-in'
  | 'returned'
  | 'wrong-credentials'
  | 'disabled'
  | 'expired-password'
  | 'not-entitled'
  | 'unusable-attribute'
  | 'too-many-tries'
  | 'not-from-own-page'
  | 'refused-request'
  | 'looping'
  | 'cancelled'
  | 'signed-out'
  | 'overloaded'
  | 'failed'

/** The outcome of a request, for the log. No field can contain a form, a query or an address with a response. */
export interface SignInEvent {
  readonly outcome: SignInOutcome
  readonly viewer?: string
  readonly status?: number
  readonly limit?: string
  readonly attribute?: string
  readonly reason?: string
  readonly error?: unknown
}

export type LogSignIn = (req: Request, event: SignInEvent) => void

const EXPECTED: readonly SignInOutcome[] = ['signed-in', 'returned', 'cancelled', 'signed-out']

/** Returns the id of the request, which is in each of its log lines, and on the screen of an internal error. */
export function requestIdOf(req: Request): string {
  req.id ??= randomUUID()
  return req.id
}

/**
 * Creates the function that logs one line for each outcome of a sign-in (OWASP ASVS 16.3.1, 16.3.3).
 * @param count called for each line, for the metrics.
 */
export function createSignInLog(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  entryPoint: string,
  addressOf: (req: Request) => string,
  count: (outcome: SignInOutcome, entryPoint: string) => void = () => {},
): LogSignIn {
  return (req, { outcome, viewer, error, ...details }) => {
    count(outcome, entryPoint)
    // pino omits undefined fields.
    const line = {
      event: 'sign-in',
      outcome,
      viewer: viewer?.slice(0, 255),
      address: addressOf(req),
      entryPoint,
      requestId: requestIdOf(req),
      ...details,
      err: error,
    }
    if (outcome === 'failed') log.error(line)
    else if (EXPECTED.includes(outcome)) log.info(line)
    else log.warn(line)
  }
}
